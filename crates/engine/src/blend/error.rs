//! Why a blend could not be trained.

use rulebound_core::LayerError;
use rulebound_core::metrics::{Metric, MetricError};

use crate::configuration::Method;
use crate::dataset::DatasetError;
use crate::evaluate::EvaluateError;
use crate::train::TrainError;

/// Why a blend could not be trained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum BlendError {
    /// There are fewer than two learners.
    #[error("a blend needs at least two learners")]
    NoLearners,
    /// There is not one weight for each learner.
    #[error("{found} weights for {expected} learners")]
    Weights { found: usize, expected: usize },
    /// A learner would break rules.
    #[error("a blend obeys the rules, but `{method}` would not")]
    Incoherent { method: Method },
    /// The weights cannot be chosen.
    #[error("{metric} is undefined on these rows, so weights cannot be chosen by it")]
    Undefined { metric: Metric },
    /// Validation rows cannot be drawn.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A fit failed or was stopped.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A learner cannot be evaluated.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A score is not a number.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// A metric cannot be computed.
    #[error(transparent)]
    Metric(#[from] MetricError),
}
