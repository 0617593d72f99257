//! Why a growing table cannot be read or extended.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file is not the expected table. The file is left as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names of the fields say it")]
pub enum TableMismatch {
    /// It is a folder or a device.
    #[error("not a file")]
    NotAFile,
    /// It has another header.
    #[error("not a table of {rows}: unexpected header")]
    Header {
        /// What its rows should be.
        rows: &'static str,
    },
    /// A line has the wrong number of cells.
    #[error("line {line} has {found} cells instead of {expected}")]
    Cells {
        /// The line, from 1.
        line: u64,
        /// How many cells it has.
        found: usize,
        expected: usize,
    },
    /// A cell is not valid.
    #[error("line {line}: `{text}` is not a valid value of `{column}`")]
    Cell {
        /// The line, from 1.
        line: u64,
        column: String,
        /// The cell, truncated to 80 characters.
        text: String,
    },
}

/// Why a table could not be read or extended. `path` is the file.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the same nouns throughout")]
pub enum GrowingTableError {
    /// The file is not such a table.
    #[error("{}: {what}", path.display())]
    Mismatch { path: PathBuf, what: TableMismatch },
    /// Another process has the table open.
    #[error("{} is being written by another process", path.display())]
    InUse { path: PathBuf },
    /// The file cannot be read or written.
    #[error("cannot read or write {}", path.display())]
    File { path: PathBuf, source: io::Error },
}

impl GrowingTableError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Mismatch { path, .. } | Self::InUse { path } | Self::File { path, .. } => path,
        }
    }
}
