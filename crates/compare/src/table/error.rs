//! Errors in a table of results: every mistake with its place.

use std::path::PathBuf;

use rulebound_io::input::{self, DisplayPath, InputError};

/// One mistake in a table of results.
pub type Mistake = input::Mistake<Problem>;

/// The mistakes of one table of results: the first twenty, and their total number.
pub type Mistakes = input::Mistakes<Problem>;

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum ResultTableError {
    /// The file cannot be opened, read, unpacked or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
    /// It is a Parquet file.
    #[error("{}: tables of results must be CSV or TSV, not Parquet", DisplayPath::input(path))]
    Parquet { path: PathBuf },
    /// The file is empty.
    #[error(
        "{}: the file is empty; the first line must name the columns",
        DisplayPath::input(path)
    )]
    NoHeader { path: PathBuf },
    /// The content has mistakes.
    #[error("{}: {} mistakes", DisplayPath::input(path), mistakes.total())]
    Broken {
        path: PathBuf,
        /// Its mistakes, in the order of the file.
        mistakes: Mistakes,
    },
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum Problem {
    /// A value is not a number.
    #[error("is not a number (column `{column}`)")]
    NotANumber { column: String },
    /// A value is infinite or NaN.
    #[error("is not a finite number (column `{column}`)")]
    NotFinite { column: String },
    /// A data set, method or metric has no name.
    #[error("is not a valid name (column `{column}`)")]
    NoName { column: String },
    /// A row has more or fewer fields than the header.
    #[error("is in a row with {found} fields, but there are {expected} columns")]
    FieldCount {
        expected: usize,
        /// The number of fields in the row.
        found: usize,
    },
    /// A quotation mark is not closed on its line.
    #[error("has a quotation mark that is not closed on its line")]
    OpenQuote,
    /// Two columns have the same name.
    #[error("is also the name of column {first}")]
    SameName {
        /// The first of them, from 1.
        first: usize,
    },
    /// A column of methods has no name.
    #[error("is a column without a name, where the name of a method is expected")]
    NoMethodName,
    /// The header lacks a column.
    #[error("is a header without a column `{column}`")]
    NoColumn {
        /// The name it should have.
        column: &'static str,
    },
    /// No column is named after the metric.
    #[error("is a header without a column `value` or `{metric}`")]
    NoMetricColumn { metric: String },
    /// No column is named after any metric.
    #[error("is a header without a column `value` or a column named after a metric")]
    NoValueColumn,
    /// There is a data set but no method.
    #[error("is a header without methods")]
    NoMethods,
}

impl Problem {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotANumber { .. } | Self::NotFinite { .. } => {
                "a value is a number such as 0.255; leave the cell empty if there is none"
            }
            Self::NoName { .. } => "every row names its data set, its method and its metric",
            Self::FieldCount { .. } => "put a name that contains a comma between quotation marks",
            Self::OpenQuote => "a quotation mark inside quotation marks is written twice",
            Self::SameName { .. } | Self::NoMethodName => "give every column its own name",
            Self::NoColumn { .. } | Self::NoValueColumn | Self::NoMethods => {
                "the columns are set, method, metric, value; or set and one column per method"
            }
            Self::NoMetricColumn { .. } => "--metric names one of the columns",
        }
    }
}
