//! What is wrong with a table of results: every mistake with its place.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::output::is_standard;

/// Characters of the offending text a mistake carries, at most.
const SHOWN: usize = 80;

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file is missing or may not be read.
    #[error("cannot read {}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The gzip data is cut short or corrupt.
    #[error("{}: the gzip data is cut short or corrupt", shown(path))]
    Gzip {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
    /// A Parquet file.
    #[error("{}: tables of results are text, CSV or TSV, not Parquet", shown(path))]
    Parquet {
        /// The file.
        path: PathBuf,
    },
    /// The bytes are no UTF-8 text.
    #[error("{}:{line}:{column}: not UTF-8 text", shown(path))]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line of the first byte that is none, from 1.
        line: usize,
        /// Its place in the line, in characters from 1.
        column: usize,
    },
    /// There is no line in it.
    #[error("{}: the file is empty; the first line names the columns", shown(path))]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
    /// The content is wrong.
    #[error("{}: {} mistakes", shown(path), mistakes.len())]
    Broken {
        /// The file.
        path: PathBuf,
        /// All of them, in the order of the file.
        mistakes: Vec<Mistake>,
    },
}

/// One mistake in a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The column of the table, from 1.
    pub column: usize,
    /// The offending text, cut after 80 characters (then it ends in `…`).
    pub text: String,
    /// What is wrong with it.
    pub problem: Problem,
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

impl Mistake {
    pub(super) fn new(line: usize, column: usize, text: &str, problem: Problem) -> Self {
        let text = match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        Self { line, column, text, problem }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self.problem {
            Problem::NotANumber { .. } | Problem::NotFinite { .. } => {
                "a value is a number such as 0.255; leave the cell empty where there is none"
            }
            Problem::NoName { .. } => "every row names its set, its method and its metric",
            Problem::FieldCount { .. } => "a name with a comma in it goes between quotation marks",
            Problem::OpenQuote => "a quotation mark inside quotation marks is written twice",
            Problem::SameName { .. } | Problem::NoMethodName => "give every column its own name",
            Problem::NoColumn { .. } | Problem::NoValueColumn | Problem::NoMethods => {
                "the columns are set, method, metric, value; or set and one column for each method"
            }
            Problem::NoMetricColumn { .. } => "--metric names one of the columns",
        })
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {:?} {}", self.line, self.column, self.text, self.problem)
    }
}

fn shown(path: &std::path::Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}
