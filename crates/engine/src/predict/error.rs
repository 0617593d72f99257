//! Why there is no prediction.

use std::error::Error;

use rulebound_core::LayerError;

use super::rows::BadRows;
use crate::cuda::CudaError;
use crate::dataset::{DatasetError, PipelineError};
use crate::output::OutputError;
use crate::scores::ScoreError;

/// Why rows could not be predicted. No output appears in any case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum PredictError {
    /// The rows could not be read.
    #[error(transparent)]
    Rows(#[from] DatasetError),
    /// Columns of the model are missing, or of another kind.
    #[error(transparent)]
    Columns(#[from] PipelineError),
    /// The numbers are not rows.
    #[error(transparent)]
    Shape(#[from] BadRows),
    /// A table could not be written.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// A finished table could not be published under its name.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The network gives no number for a class.
    #[error(
        "row {row}{}: the network gives no number for `{class}`{}",
        shown(id.as_deref()),
        why(*is_infinite)
    )]
    NotANumber {
        /// The row, from 1.
        row: u64,
        /// What identifies it, if anything does.
        id: Option<String>,
        class: String,
        /// Whether a feature of the row is too far from those it was fitted on to be represented.
        is_infinite: bool,
    },
    /// A model without rules has nothing to explain.
    #[error("the model was trained without rules: there is nothing to explain")]
    NoRules,
    /// What computes the logits failed.
    #[error("the logits cannot be computed")]
    Scorer(#[source] Box<dyn Error + Send + Sync>),
    /// The GPU failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The layer could not run.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The caller asked to stop.
    #[error("stopped; nothing was written")]
    Stopped,
}

fn shown(id: Option<&str>) -> String {
    id.map(|id| format!(", {id:?}")).unwrap_or_default()
}

fn why(is_infinite: bool) -> &'static str {
    if is_infinite { "; a feature is too far from those it was fitted on" } else { "" }
}
