//! Why a data set cannot be split as requested.

use super::super::split::Split;

/// Why a data set cannot be split as requested.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum SplitError {
    /// A share is not a fraction.
    #[error("the {split} share is {share}; it must be above 0 and below 1")]
    BadShare { split: Split, share: f64 },
    /// The shares leave nothing to train on.
    #[error("the test and validation shares add up to {total}; they must leave training rows")]
    SharesTooLarge { total: f64 },
    /// The rows to draw already exist.
    #[error("`{name}` already has {rows} {split} rows, so no {split} share can be drawn")]
    Exists {
        name: String,
        split: Split,
        /// How many rows it has.
        rows: usize,
    },
    /// A split column was named, but the source has several splits of its own.
    #[error("`{name}` already has splits, so the column `{column}` cannot decide them")]
    SplitsExist { name: String, column: String },
    /// A value of the split column names no split.
    #[error("row {row}: `{text}` in the column `{column}` is not a split (train, valid or test)")]
    NotASplit {
        /// The row of the data, from 1.
        row: usize,
        column: String,
        /// The value; empty if it is missing.
        text: String,
    },
    /// A column that the source does not have.
    #[error("`{name}` has no column `{column}`")]
    NoColumn { name: String, column: String },
    /// There are too few rows, or groups, to fill every part.
    #[error("{count} {what} cannot be divided into {parts} parts of the requested sizes")]
    TooFew { count: usize, what: &'static str, parts: usize },
    /// A number of folds that means nothing.
    #[error("{0} folds: there must be at least 2 and at most 1000")]
    BadFolds(usize),
}
