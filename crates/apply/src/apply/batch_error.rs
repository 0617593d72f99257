//! Why scores in memory cannot be made coherent.

use rulebound_core::LayerError;

use rulebound_io::scores::BadReason;

/// Why scores in memory cannot be made coherent.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum BatchError {
    /// A score is not allowed.
    #[error("row {row}: the score{} of `{label}` {reason}", shown(*value))]
    BadScore {
        /// The row, from 0.
        row: usize,
        label: String,
        value: f64,
        reason: BadReason,
    },
    /// The layer could not run.
    #[error(transparent)]
    Layer(#[from] LayerError),
}

fn shown(value: f64) -> String {
    if value.is_nan() { String::new() } else { format!(" {value}") }
}

impl BatchError {
    /// The row that is to blame, from 0.
    pub(super) fn row(&self) -> usize {
        match self {
            Self::BadScore { row, .. }
            | Self::Layer(LayerError::NotANumber { row, .. } | LayerError::Unsettled { row, .. }) => {
                *row
            }
            Self::Layer(_) => 0,
        }
    }
}
