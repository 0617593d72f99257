//! Why there is no prediction.

use rulebound_core::LayerError;

use crate::dataset::DatasetError;
use crate::output::OutputError;
use crate::scores::ScoreError;

/// Why rows could not be predicted. No output appears in any case.
#[derive(Debug, thiserror::Error)]
pub enum PredictError {
    /// The rows could not be read.
    #[error(transparent)]
    Rows(#[from] DatasetError),
    /// A table could not be written.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// A complete table could not be given its name.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The network has no number for a class.
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
        /// The class.
        class: String,
        /// Whether a feature of the row was too far from the fitted ones to be held.
        is_infinite: bool,
    },
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
