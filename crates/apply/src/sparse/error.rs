//! Why lists of scores cannot be made coherent.

use rulebound_core::SparseError;

use rulebound_io::scores::BadReason;

/// Why a row of listed scores cannot be made coherent.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum SparseRowError {
    /// A score is not allowed.
    #[error("the score {value} of `{label}` {reason}")]
    BadScore { label: String, value: f64, reason: BadReason },
    /// The layer could not run.
    #[error(transparent)]
    Layer(#[from] SparseError),
}

/// Why lists of scores cannot be made coherent.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum SparseApplyError {
    /// One of the rows.
    #[error("row {row}: {source}")]
    Row {
        /// The row, from 0.
        row: usize,
        source: SparseRowError,
    },
    /// The offsets do not rise from 0 to the number of scores.
    #[error(
        "offsets must rise from 0 to {scores}, the number of scores; offset {place} is {found}"
    )]
    Offsets {
        /// Which one, from 0.
        place: usize,
        found: i64,
        scores: usize,
    },
    /// There is not one class for each score.
    #[error("{classes} classes for {scores} scores")]
    Sizes { classes: usize, scores: usize },
}

/// Why rows cannot be cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// The rules have negation: what is left out counts as not predicted, and so may force another class.
    #[error(
        "the rules have negation, where leaving out a class means that it does not hold; \
         rows can be cut only where the rules have none"
    )]
    Negation,
    /// A requirement says what must be there, and not only what excludes each other.
    #[error(
        "a requirement needs one of several classes, which may be among those that are left out; rows can be cut only where \
         requirements do nothing but exclude"
    )]
    Requirements,
    /// The classes have different thresholds.
    #[error(
        "the classes have different thresholds, so that a parent may have a lower score than its child; \
         cut by number (`top`), or use one threshold for all classes"
    )]
    Thresholds,
}
