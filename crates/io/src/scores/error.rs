//! Why a table of scores could not be read or written. Errors are data; how to show them is up to
//! the caller.

use std::error::Error;
use std::path::PathBuf;

use super::bad_cell::BadCell;
use crate::array::ArrayError;
use crate::input::{DisplayPath, InputError};
use crate::output::OutputError;
use crate::table::TableError;

/// Why a table of scores could not be read or written.
///
/// `path` is the file the error is about, `-` for standard input; `row` is the data row from 1, not
/// counting the header; `line` is the line on which that row starts, and `column` the position of a
/// column, both from 1; `name` is the name of a column; `source` is the underlying error.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the same nouns throughout, explained above")]
#[non_exhaustive]
pub enum ScoreError {
    /// The file cannot be opened, read or decompressed.
    #[error(transparent)]
    Input(InputError),
    /// The format is unknown, or the Parquet data cannot be read or written.
    #[error(transparent)]
    Table(TableError),
    /// An array cannot be read or written.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// The output could not be created, written or finished.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The file is empty, or has no columns.
    #[error("{}: no header", DisplayPath::input(path))]
    NoHeader { path: PathBuf },
    /// A column name is not UTF-8; in `text` the invalid bytes are replaced.
    #[error("{}: the name of column {column} is not UTF-8: {text:?}", DisplayPath::input(path))]
    HeaderNotUtf8 { path: PathBuf, column: usize, text: String },
    /// A class or the id column occurs twice.
    #[error(
        "{}: duplicate column {name:?} (columns {first} and {second})",
        DisplayPath::input(path)
    )]
    TwoColumns { path: PathBuf, name: String, first: usize, second: usize },
    /// The id column is not in the header; `columns` are the names in the header.
    #[error("{}: no column {name:?}", DisplayPath::input(path))]
    NoIdColumn { path: PathBuf, name: String, columns: Vec<String> },
    /// A row has more or fewer fields than the header.
    #[error(
        "{}: row {row} (line {line}) has {found} fields, but the header has {expected}",
        DisplayPath::input(path)
    )]
    FieldCount { path: PathBuf, row: u64, line: u64, expected: usize, found: usize },
    /// A quotation mark is opened in the row (row 0 is the header) and never closed.
    #[error(
        "{}: a quotation mark opened in row {row} (line {line}) is never closed",
        DisplayPath::input(path)
    )]
    OpenQuote { path: PathBuf, row: u64, line: u64 },
    /// A row exceeds the size limit, most often because of an unclosed quotation mark.
    #[error("{}: row {row} (line {line}) is longer than {limit} bytes", DisplayPath::input(path))]
    RowTooLong { path: PathBuf, row: u64, line: u64, limit: usize },
    /// Cells that are not valid scores: the first 20, and how many there are in total.
    #[error("{}: {}", DisplayPath::input(path), bad_cells(cells, *total, *complete))]
    BadCells {
        path: PathBuf,
        cells: Vec<BadCell>,
        total: u64,
        /// False if the rest of the file could not be read, so there may be more.
        complete: bool,
    },
    /// A class column holds something other than plain numbers.
    #[error("{}: column {column} {name:?} holds {data_type}, not numbers", path.display())]
    ClassType {
        path: PathBuf,
        column: usize,
        name: String,
        /// Its data type, as Parquet calls it.
        data_type: String,
    },
    /// A cell that is passed through is not UTF-8, so it cannot be written to Parquet.
    #[error("{}: row {row}, column {column} {name:?} is not UTF-8, which Parquet requires", path.display())]
    CellNotUtf8 { path: PathBuf, row: u64, column: usize, name: String },
    /// A Parquet column that is passed through cannot be written as text.
    #[error("{}: column {column} {name:?} cannot be written as text", DisplayPath::output(path))]
    NoText { path: PathBuf, column: usize, name: String, source: Box<dyn Error + Send + Sync> },
}

/// Errors about bytes are the same, whichever layer found them.
impl From<TableError> for ScoreError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Input(error) => Self::Input(error),
            TableError::Output(error) => Self::Output(error),
            error => Self::Table(error),
        }
    }
}

impl From<InputError> for ScoreError {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

fn bad_cells(cells: &[BadCell], total: u64, complete: bool) -> String {
    let first = cells.first().map(ToString::to_string).unwrap_or_default();
    match (total, complete) {
        (0 | 1, true) => first,
        (_, true) => format!("{total} bad cells; the first: {first}"),
        (_, false) => format!("at least {total} bad cells; the first: {first}"),
    }
}
