//! Why cross-validation failed.

use rulebound_core::LayerError;

use crate::dataset::DatasetError;
use crate::evaluate::EvaluateError;
use crate::scores::ScoreError;
use crate::train::TrainError;

/// Why cross-validation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrossValidationError {
    /// The rows cannot be divided.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A fit failed or was stopped.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A fold cannot be evaluated.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// The scores cannot be written.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// A score is not a number.
    #[error(transparent)]
    Layer(#[from] LayerError),
}
