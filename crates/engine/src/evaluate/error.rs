//! Why nothing was evaluated. Errors are data; who shows them decides how.

use std::fmt;
use std::path::PathBuf;

use rulebound_core::LayerError;
use rulebound_core::metrics::MetricError;

use crate::dataset::PipelineError;
use crate::scores::ScoreError;

/// Why nothing was evaluated.
///
/// `path` is the file the error is about, `other` the one it is compared with; rows are counted
/// from 1, the header is not.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the same nouns throughout, told above")]
pub enum EvaluateError {
    /// A table could not be read.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// Scores, decisions and truth do not fit together.
    #[error(transparent)]
    Metrics(#[from] MetricError),
    /// The rules are about other classes than the scores.
    #[error("the rules have {rules} classes, the predictions {evaluated}")]
    Classes { rules: usize, evaluated: usize },
    /// The model scored what is no number, or has no layer for it.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The data lacks features of the model.
    #[error(transparent)]
    Features(#[from] PipelineError),
    /// The data lacks classes of the model.
    #[error("`{data}` lacks classes of the model: `{}`", classes.join("`, `"))]
    NoClass { data: String, classes: Vec<String> },
    /// The truth is to be read from standard input, but its header is needed first.
    #[error("the truth cannot be standard input")]
    TruthOnStandardInput,
    /// A column has no name, and so no class.
    #[error("{}: column {column} has no name", path.display())]
    NoName { path: PathBuf, column: usize },
    /// A table has no column that could be a class.
    #[error("{}: there is no class", path.display())]
    NoClasses { path: PathBuf },
    /// Classes have no column; `columns` are the names that there are.
    #[error("{}: {} classes of {wanting} have no column", path.display(), classes.len())]
    NoColumn { path: PathBuf, classes: Vec<String>, wanting: Wanting, columns: Vec<String> },
    /// The tables have different numbers of rows.
    #[error("{} has {rows} rows, but {} has {other_rows}", path.display(), other.display())]
    RowCount { path: PathBuf, rows: u64, other: PathBuf, other_rows: u64 },
    /// Two rows of a table have the same id.
    #[error("{}: rows {first} and {second} have the same id {id:?}", path.display())]
    SameId { path: PathBuf, id: String, first: u64, second: u64 },
    /// A row of one table is not in the other.
    #[error("{}: there is no row {id:?}, which is row {row} of {}", path.display(), other.display())]
    NoSuchId { path: PathBuf, id: String, other: PathBuf, row: u64 },
    /// Cells of the truth that are neither 0 nor 1: the first 20, and how many there are in all.
    #[error("{}: {}", path.display(), not_binary(cells, *total))]
    NotBinary { path: PathBuf, cells: Vec<NotBinary>, total: u64 },
}

/// Who wants a class that has no column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanting {
    /// The other table.
    Table(PathBuf),
    /// The rules.
    Rules,
    /// The list of classes.
    Labels,
}

impl fmt::Display for Wanting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(path) => path.display().fmt(f),
            Self::Rules => f.write_str("the rules"),
            Self::Labels => f.write_str("the label list"),
        }
    }
}

/// A cell of the truth that is neither 0 nor 1.
#[derive(Debug, Clone, PartialEq)]
pub struct NotBinary {
    /// The row, from 1; the header is not counted.
    pub row: u64,
    /// The row's text in the id column, if one was named.
    pub id: Option<String>,
    /// The class.
    pub class: String,
    /// What stands there.
    pub value: f64,
}

impl fmt::Display for NotBinary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.row)?;
        if let Some(id) = &self.id {
            write!(f, ", {id:?}")?;
        }
        write!(f, ", class {:?}: {} is neither 0 nor 1", self.class, self.value)
    }
}

fn not_binary(cells: &[NotBinary], total: u64) -> String {
    let first = cells.first().map(ToString::to_string).unwrap_or_default();
    if total <= 1 {
        first
    } else {
        format!("{total} cells are neither 0 nor 1; the first: {first}")
    }
}
