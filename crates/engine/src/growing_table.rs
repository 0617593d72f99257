//! Tables on disk that grow by a line: the trials of tuning, the results of a reproduction.
//!
//! A line is written at once and handed to the disk, so a kill leaves whole lines, but for perhaps
//! the last. Every other deviation is an error, and the file stays as it was.

/// Why a file is not the table it should be. It is left as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnlikeTable {
    /// It is a folder or a device.
    #[error("not a file")]
    NotAFile,
    /// Its first line is not ours.
    #[error("not a table of {of}: its first line is another")]
    Header {
        /// What the table should be of.
        of: &'static str,
    },
    /// A line has another number of cells.
    #[error("line {line} has {found} cells instead of {expected}")]
    Cells {
        /// The line, from 1.
        line: u64,
        /// Its cells.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// A cell holds what it cannot.
    #[error("line {line}: `{text}` is no {column}")]
    Cell {
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// The cell.
        text: String,
    },
}

/// All but a last line without its end.
pub fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)]
}
