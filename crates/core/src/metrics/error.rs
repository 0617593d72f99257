//! Why metrics cannot be computed. A metric that is merely undefined is `None`, not an error.

/// Why metrics cannot be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum MetricError {
    /// The scores or decisions do not have the size of the ground truth.
    #[error("{found} values cannot be compared with {expected} values of ground truth")]
    Sizes {
        /// The number of values of the ground truth.
        expected: usize,
        /// The number of scores or decisions.
        found: usize,
    },
    /// The table does not consist of whole rows.
    #[error("{values} values are not whole rows of {classes} classes")]
    Rows {
        values: usize,
        /// The number of classes in a row.
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

/// The number of rows of `classes` values.
pub(super) fn rows(values: usize, classes: usize) -> Result<usize, MetricError> {
    match values.checked_rem(classes) {
        Some(0) => Ok(values / classes),
        None if values == 0 => Ok(0),
        _ => Err(MetricError::Rows { values, classes }),
    }
}
