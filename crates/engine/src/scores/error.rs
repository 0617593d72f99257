//! Why a table of scores could not be read or written. Errors are data; who shows them decides how.

use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::{ArrowError, DataType};
use parquet::errors::ParquetError;

use super::bad_cell::BadCell;
use super::format::EXTENSIONS;
use crate::output::{OutputError, is_standard};

/// Why a table of scores could not be read or written.
///
/// `path` is the file the error is about, `-` for standard input; `row` is the data row from 1, the
/// header not counted; `line` is the line of the file that row starts on, and `column` the position
/// of a column, both from 1; `name` is the name of a column; `source` is what went wrong below.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the same nouns throughout, told above")]
pub enum ScoreError {
    /// The name has no extension we know.
    #[error("{}: unknown format; the name must end in one of {} (each also with .gz), \
             or be - for CSV on standard input or output", path.display(), EXTENSIONS.join(", "))]
    UnknownFormat { path: PathBuf },
    /// The file is missing or may not be read.
    #[error("cannot open {}", shown(path))]
    Open { path: PathBuf, source: io::Error },
    /// Reading stopped on the way.
    #[error("cannot read {}", shown(path))]
    Read { path: PathBuf, source: io::Error },
    /// The gzip stream is cut short, corrupt, or none at all.
    #[error("{}: the gzip data is cut short or corrupt", path.display())]
    Gzip { path: PathBuf, source: io::Error },
    /// A compressed Parquet file could not be unpacked to a temporary file.
    #[error("cannot unpack {} to a temporary file", path.display())]
    Unpack { path: PathBuf, source: io::Error },
    /// The file is empty, or has no columns.
    #[error("{}: there is no header", shown(path))]
    NoHeader { path: PathBuf },
    /// A column name is not UTF-8; `text` has the unknown bytes replaced.
    #[error("{}: the name of column {column} is not UTF-8: {text:?}", shown(path))]
    HeaderNotUtf8 { path: PathBuf, column: usize, text: String },
    /// A class, or the id column, has two columns.
    #[error("{}: two columns are named {name:?}: {first} and {second}", shown(path))]
    TwoColumns { path: PathBuf, name: String, first: usize, second: usize },
    /// The id column is not in the header; `columns` are the names that are.
    #[error("{}: there is no column {name:?}", shown(path))]
    NoIdColumn { path: PathBuf, name: String, columns: Vec<String> },
    /// A row has more or fewer fields than the header.
    #[error(
        "{}: row {row} (line {line}) has {found} fields, but the header has {expected}",
        shown(path)
    )]
    FieldCount { path: PathBuf, row: u64, line: u64, expected: usize, found: usize },
    /// A quote is opened in the row (row 0 is the header) and never closed.
    #[error("{}: a quote opened in row {row} (line {line}) is never closed", shown(path))]
    OpenQuote { path: PathBuf, row: u64, line: u64 },
    /// A row is longer than any we hold in memory; most often a quote is not closed.
    #[error("{}: row {row} (line {line}) is longer than {limit} bytes", shown(path))]
    RowTooLong { path: PathBuf, row: u64, line: u64, limit: usize },
    /// Cells that are no usable scores: the first 20, and how many there are in all.
    #[error("{}: {}", shown(path), bad_cells(cells, *total, *complete))]
    BadCells {
        path: PathBuf,
        cells: Vec<BadCell>,
        total: u64,
        /// False when the rest of the file could not be read, so that there may be more.
        complete: bool,
    },
    /// The file does not start as a Parquet file does.
    #[error("{}: this is not a Parquet file", path.display())]
    NotParquet { path: PathBuf },
    /// The Parquet data is cut short, corrupt, or uses something we do not support.
    #[error("{}: cannot read the Parquet data", path.display())]
    Parquet { path: PathBuf, source: ParquetError },
    /// A class column holds something other than plain numbers.
    #[error("{}: column {column} {name:?} holds {data_type}, not numbers", path.display())]
    ClassType { path: PathBuf, column: usize, name: String, data_type: DataType },
    /// A cell that passes through is not UTF-8, and so cannot be written to Parquet.
    #[error("{}: row {row}, column {column} {name:?} is not UTF-8, which Parquet requires", path.display())]
    CellNotUtf8 {
        /// The output.
        path: PathBuf,
        row: u64,
        column: usize,
        name: String,
    },
    /// A Parquet column that passes through cannot be shown as text.
    #[error("{}: column {column} {name:?} cannot be written as text", shown(path))]
    NoText {
        /// The output.
        path: PathBuf,
        column: usize,
        name: String,
        source: ArrowError,
    },
    /// The table cannot be written as Parquet.
    #[error("{}: cannot write as Parquet", path.display())]
    WriteParquet { path: PathBuf, source: ParquetError },
    /// The output could not be created, written or completed.
    #[error(transparent)]
    Output(#[from] OutputError),
}

fn shown(path: &Path) -> String {
    if is_standard(path) {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

fn bad_cells(cells: &[BadCell], total: u64, complete: bool) -> String {
    let first = cells.first().map(ToString::to_string).unwrap_or_default();
    match (total, complete) {
        (0 | 1, true) => first,
        (_, true) => format!("{total} bad cells; the first: {first}"),
        (_, false) => format!("at least {total} bad cells; the first: {first}"),
    }
}
