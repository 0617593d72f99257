//! Predicting: rows of features in, coherent predictions out.
//!
//! ```text
//! FeatureRows ── Scorer (each member with its preprocessing, Together) ──> logits ── Head ──> Predictions
//!                       └─ on a GPU: one network and the layer there ──────────────────────────┘
//! RowReader ── Predictor::write ──> PredictionTables (also those of apply)
//! ```
//!
//! The invariants:
//!
//! - **Predictions obey the rules**, and so do the probabilities that are written: one is above its
//!   threshold exactly where the class is predicted, in every format.
//! - **Memory does not grow with the number of rows.**
//! - **Nothing is published before everything is complete**; then all outputs are.

mod blend_sum;
mod error;
#[cfg(feature = "cuda")]
mod gpu;
mod head;
mod member_scorer;
mod predictions;
mod predictor;
mod rows;
mod scorer;
mod together;
mod write;

pub use self::error::PredictError;
#[doc(hidden)]
pub use self::head::Head;
pub use self::predictions::Predictions;
pub use self::predictor::Predictor;
pub use self::rows::{BadRows, FeatureRows};
pub use self::scorer::Scorer;
pub use self::write::PredictionSummary;
pub use crate::tables::{PredictionPaths, ScoreChanges, TopClasses, Unsettled};

pub(crate) use self::blend_sum::BlendSum;
