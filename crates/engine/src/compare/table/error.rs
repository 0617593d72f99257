//! What is wrong with a table of results: every mistake with its place.

use std::path::PathBuf;

use crate::input::{self, DisplayPath, InputError};

/// One mistake in a table of results.
pub type Mistake = input::Mistake<Problem>;

/// The mistakes of one table of results: the first twenty, and how many there are in all.
pub type Mistakes = input::Mistakes<Problem>;

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultTableError {
    /// The file cannot be opened, read, unpacked or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A Parquet file.
    #[error("{}: tables of results are text, CSV or TSV, not Parquet", DisplayPath::input(path))]
    Parquet {
        /// The file.
        path: PathBuf,
    },
    /// There is no line in it.
    #[error("{}: the file is empty; the first line names the columns", DisplayPath::input(path))]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
    /// The content is wrong.
    #[error("{}: {} mistakes", DisplayPath::input(path), mistakes.total())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Its mistakes, in the order of the file.
        mistakes: Mistakes,
    },
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A value is no number.
    #[error("is not a number (column `{column}`)")]
    NotANumber {
        /// The column's name.
        column: String,
    },
    /// A value is infinite or NaN.
    #[error("is not a finite number (column `{column}`)")]
    NotFinite {
        /// The column's name.
        column: String,
    },
    /// A set, method or metric without a name.
    #[error("is no name (column `{column}`)")]
    NoName {
        /// The column's name.
        column: String,
    },
    /// More or fewer fields than the header.
    #[error("is in a row of {found} fields, but there are {expected} columns")]
    FieldCount {
        /// How many columns there are.
        expected: usize,
        /// How many fields the row has.
        found: usize,
    },
    /// A quotation mark is never closed on the line.
    #[error("has a quotation mark that is not closed on its line")]
    OpenQuote,
    /// Two columns have the same name.
    #[error("is also the name of column {first}")]
    SameName {
        /// The first of them, from 1.
        first: usize,
    },
    /// A column of methods has no name.
    #[error("is a column without a name, where methods have theirs")]
    NoMethodName,
    /// The header lacks a column.
    #[error("is a header without a column `{column}`")]
    NoColumn {
        /// What it should be called.
        column: &'static str,
    },
    /// No column is called as the metric.
    #[error("is a header without a column `value` or `{metric}`")]
    NoMetricColumn {
        /// The metric that is wanted.
        metric: String,
    },
    /// No column is called as any metric.
    #[error("is a header without a column `value` or one called as a metric")]
    NoValueColumn,
    /// There is a set but no method.
    #[error("is a header without methods")]
    NoMethods,
}

impl Problem {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotANumber { .. } | Self::NotFinite { .. } => {
                "a value is a number such as 0.255; leave the cell empty where there is none"
            }
            Self::NoName { .. } => "every row names its set, its method and its metric",
            Self::FieldCount { .. } => "a name with a comma in it goes between quotation marks",
            Self::OpenQuote => "a quotation mark inside quotation marks is written twice",
            Self::SameName { .. } | Self::NoMethodName => "give every column its own name",
            Self::NoColumn { .. } | Self::NoValueColumn | Self::NoMethods => {
                "the columns are set, method, metric, value; or set and one column for each method"
            }
            Self::NoMetricColumn { .. } => "--metric names one of the columns",
        }
    }
}
