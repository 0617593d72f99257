//! Errors of evaluation. They are data; the caller decides how to show them.

use std::fmt;
use std::path::PathBuf;

use rulebound_core::metrics::MetricError;
use rulebound_core::{HidingError, LayerError};

use crate::dataset::PipelineError;
use crate::labelled_scores::BrokenTruth;
use crate::predict::PredictError;
use crate::scores::ScoreError;
use crate::unknown_labels::UnmatchedClasses;

/// Why predictions could not be evaluated.
///
/// `path` is the file with the error, `other` the one it is compared with; rows are counted from 1,
/// without the header.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the same throughout, and explained above")]
#[non_exhaustive]
pub enum EvaluateError {
    /// A table could not be read.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// The sizes of scores, decisions and ground truth do not match, or a score is NaN.
    #[error(transparent)]
    Metrics(#[from] MetricError),
    /// The rules have another number of classes than the predictions.
    #[error("the rules have {rules} classes, but the predictions have {evaluated}")]
    Classes { rules: usize, evaluated: usize },
    /// A row of the ground truth breaks a rule, and the label policy is strict.
    #[error(transparent)]
    BrokenTruth(#[from] BrokenTruth),
    /// A class of the rules has no column, but nearly one.
    #[error("{}: no column for the class `{class}` of the rules, but one called `{column}`", path.display())]
    NearColumn { path: PathBuf, class: String, column: String },
    /// The classes of the rules are not those of the tables.
    #[error("{}: {source}", path.display())]
    Unmatched { path: PathBuf, source: UnmatchedClasses },
    /// Classes without a column cannot be hidden.
    #[error("{}: a class of the rules has no column: {source}", path.display())]
    CannotHide { path: PathBuf, source: HidingError },
    /// A score of the model is NaN.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The data lacks features of the model.
    #[error(transparent)]
    Features(#[from] PipelineError),
    /// The model could not score the rows.
    #[error(transparent)]
    Predict(#[from] PredictError),
    /// The data lacks classes of the model.
    #[error("`{data}` lacks {} of the model: {}", counted(classes), listed(classes))]
    NoClass { data: String, classes: Vec<String> },
    /// Only classes seen in training are to count, and nobody says which they are.
    #[error("it is not known which classes were seen in training")]
    SeenUnknown,
    /// The ground truth cannot be read from standard input, because its header is needed first.
    #[error("the ground truth cannot be read from standard input")]
    TruthOnStandardInput,
    /// Nor from a pipe with a name, unless the classes are known.
    #[error("{}: it is a pipe or a device, and the header of the ground truth is read first", path.display())]
    TruthInPipe { path: PathBuf },
    /// A column has no name, so it is no class.
    #[error("{}: column {column} has no name", path.display())]
    NoName { path: PathBuf, column: usize },
    /// A table has no column that could be a class.
    #[error("{}: no classes", path.display())]
    NoClasses { path: PathBuf },
    /// Classes have no column; `columns` are the names of the existing columns.
    #[error("{}: {} classes of {needed_by} have no column", path.display(), classes.len())]
    NoColumn { path: PathBuf, classes: Vec<String>, needed_by: NeededBy, columns: Vec<String> },
    /// The tables have different numbers of rows.
    #[error("{} has {rows} rows, but {} has {other_rows}", path.display(), other.display())]
    RowCount { path: PathBuf, rows: u64, other: PathBuf, other_rows: u64 },
    /// Two rows of a table have the same id.
    #[error("{}: rows {first} and {second} have the same id {id:?}", path.display())]
    SameId { path: PathBuf, id: String, first: u64, second: u64 },
    /// A row of one table is not in the other.
    #[error("{}: no row has the id {id:?}, which is row {row} of {}", path.display(), other.display())]
    NoSuchId { path: PathBuf, id: String, other: PathBuf, row: u64 },
    /// Cells of the ground truth are neither 0 nor 1: the first 20, and the total number.
    #[error("{}: {}", path.display(), not_binary(cells, *total))]
    NotBinary { path: PathBuf, cells: Vec<NotBinary>, total: u64 },
}

/// What needs a class that has no column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NeededBy {
    /// The other table.
    Table(PathBuf),
    /// The rules.
    Rules,
    /// The list of classes.
    Labels,
}

impl fmt::Display for NeededBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(path) => path.display().fmt(f),
            Self::Rules => f.write_str("the rules"),
            Self::Labels => f.write_str("the label list"),
        }
    }
}

/// A cell of the ground truth that is neither 0 nor 1.
#[derive(Debug, Clone, PartialEq)]
pub struct NotBinary {
    /// The row, from 1, not counting the header.
    pub row: u64,
    /// The row's text in the id column, if one was named.
    pub id: Option<String>,
    /// The class.
    pub class: String,
    /// Its value.
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

/// The most names that a message lists.
const MOST_NAMES: usize = 20;

fn counted(classes: &[String]) -> String {
    if classes.len() == 1 { "a class".to_owned() } else { format!("{} classes", classes.len()) }
}

fn listed(names: &[String]) -> String {
    let first = &names[..names.len().min(MOST_NAMES)];
    let listed = format!("`{}`", first.join("`, `"));
    match names.len() - first.len() {
        0 => listed,
        others => format!("{listed} and {others} more"),
    }
}
