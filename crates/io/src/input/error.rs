//! Why bytes or text could not be read from a file, whatever it is for.

use std::io;
use std::path::{Path, PathBuf};

use super::path::DisplayPath;
use crate::memory::{BadSize, ByteSize};

/// Why a file could not be read as bytes or text.
///
/// `path` is the file, `-` for standard input; `line` is counted from 1, and in
/// [`Read`](Self::Read) and [`Gzip`](Self::Gzip) it is the last line that was read completely, 0 if
/// none was; `source` is the underlying error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are the same nouns throughout, explained above")]
pub enum InputError {
    /// The file or folder does not exist or is not readable.
    #[error("cannot read {}", DisplayPath::input(path))]
    Open { path: PathBuf, source: io::Error },
    /// Reading failed partway.
    #[error("cannot read {}{}", DisplayPath::input(path), after("past", *line))]
    Read { path: PathBuf, line: u64, source: io::Error },
    /// The gzip data is cut short, corrupt, or not gzip at all.
    #[error(
        "{}: the gzip data is cut short or corrupt{}",
        DisplayPath::input(path),
        after("after", *line)
    )]
    Gzip { path: PathBuf, line: u64, source: io::Error },
    /// A compressed file that needs random access could not be decompressed.
    #[error("cannot decompress {} to a temporary file", DisplayPath::input(path))]
    Unpack { path: PathBuf, source: io::Error },
    /// The text is not UTF-8; `column` is counted in characters from 1.
    #[error("{}:{line}:{column}: not UTF-8 text", DisplayPath::input(path))]
    NotUtf8 { path: PathBuf, line: u64, column: usize },
    /// A line, or a record of a table, is longer than `limit` bytes.
    #[error("line {line} of {} is longer than {limit} bytes", DisplayPath::input(path))]
    LineTooLong { path: PathBuf, line: u64, limit: usize },
    /// A file that is read as a whole is larger than `limit` bytes.
    #[error(
        "{} is larger than {}, unpacked; RULEBOUND_INPUT_LIMIT raises the limit",
        DisplayPath::input(path),
        ByteSize(*limit)
    )]
    FileTooLong { path: PathBuf, limit: u64 },
    /// The variable with the limit is not a size.
    #[error("cannot read {}: RULEBOUND_INPUT_LIMIT: {source}", DisplayPath::input(path))]
    BadLimit { path: PathBuf, source: BadSize },
}

impl InputError {
    /// The file the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Open { path, .. }
            | Self::Read { path, .. }
            | Self::Gzip { path, .. }
            | Self::Unpack { path, .. }
            | Self::NotUtf8 { path, .. }
            | Self::LineTooLong { path, .. }
            | Self::FileTooLong { path, .. }
            | Self::BadLimit { path, .. } => path,
        }
    }
}

fn after(word: &str, line: u64) -> String {
    if line == 0 { String::new() } else { format!(" {word} line {line}") }
}
