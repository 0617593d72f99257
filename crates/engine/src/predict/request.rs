//! What to write, and what came of it.

use std::path::PathBuf;

use crate::dataset::Unseen;

/// What to write. Formats are told by the names, as for [tables of scores](crate::scores).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Where the probabilities go: a column a class, or the highest ones.
    pub out: PathBuf,
    /// Where the decisions go, 0 and 1.
    pub decisions: Option<PathBuf>,
    /// Where the deciding literals go.
    pub delegates: Option<PathBuf>,
    /// Instead of all probabilities, so many classes of each row, the highest first and ties in
    /// the order of the classes: a line each, with the columns `row` (or the id's name), `rank`,
    /// `class`, `probability`.
    pub top: Option<usize>,
}

impl Request {
    /// All probabilities, and nothing else.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self { out: out.into(), decisions: None, delegates: None, top: None }
    }
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// How many rows.
    pub rows: u64,
    /// How many classes were predicted in all rows together.
    pub predicted: u64,
    /// How many rows have at least one score that the rules changed.
    pub changed_rows: u64,
    /// How many scores the rules changed.
    pub changed_scores: u64,
    /// The values that were never met in fitting, by column.
    pub unseen_values: Vec<Unseen>,
}
