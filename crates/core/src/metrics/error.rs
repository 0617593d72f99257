//! Why metrics cannot be computed. A metric that is merely undefined is `None`, not an error.

/// Why metrics cannot be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MetricError {
    /// Two tables of the same examples and classes have different sizes.
    #[error("{expected} values of truth, but {found} to compare with it")]
    Sizes {
        /// How many values the truth has.
        expected: usize,
        /// How many the scores or decisions have.
        found: usize,
    },
    /// The table is not made of whole rows.
    #[error("{values} values cannot be rows of {classes} classes")]
    Rows {
        /// How many values there are.
        values: usize,
        /// How many classes a row has.
        classes: usize,
    },
    /// A score of a class that counts is NaN.
    #[error("the score of row {row}, class {class} is NaN")]
    NaN {
        /// The row, from 0.
        row: usize,
        /// The class, from 0.
        class: usize,
    },
}

/// How many rows of `classes` values there are.
pub(super) fn rows(values: usize, classes: usize) -> Result<usize, MetricError> {
    match values.checked_rem(classes) {
        Some(0) => Ok(values / classes),
        None if values == 0 => Ok(0),
        _ => Err(MetricError::Rows { values, classes }),
    }
}
