//! Why a data set cannot be split as requested.

use super::super::split::Split;

/// Why a data set cannot be split as requested.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// A share is not a fraction.
    #[error("the {split} share is {share}; it must be above 0 and below 1")]
    BadShare {
        /// Which share.
        split: Split,
        /// Its value.
        share: f64,
    },
    /// The shares leave nothing to train on.
    #[error("the test and validation shares add up to {total}; they must leave training rows")]
    SharesTooLarge {
        /// Their sum.
        total: f64,
    },
    /// The rows to draw already exist.
    #[error("`{name}` already has {rows} {split} rows, so no {split} share can be drawn")]
    Exists {
        /// The data set.
        name: String,
        /// The split.
        split: Split,
        /// How many rows it has.
        rows: usize,
    },
    /// A split column was named, but the source has several splits of its own.
    #[error("`{name}` already has splits, so the column `{column}` cannot decide them")]
    SplitsExist {
        /// The data set.
        name: String,
        /// The column.
        column: String,
    },
    /// A value of the split column names no split.
    #[error("row {row}: `{text}` in the column `{column}` is not a split (train, valid or test)")]
    NotASplit {
        /// The row of the data, from 1.
        row: usize,
        /// The column.
        column: String,
        /// The value; empty if it is missing.
        text: String,
    },
    /// A column that the source does not have.
    #[error("`{name}` has no column `{column}`")]
    NoColumn {
        /// The data set.
        name: String,
        /// The column.
        column: String,
    },
    /// There are too few rows, or groups, to fill every part.
    #[error("{count} {what} cannot be divided into {parts} parts of the requested sizes")]
    TooFew {
        /// How many there are.
        count: usize,
        /// Rows or groups.
        what: &'static str,
        /// How many parts.
        parts: usize,
    },
    /// A number of folds that means nothing.
    #[error("{0} folds: there must be at least 2 and at most 1000")]
    BadFolds(usize),
}
