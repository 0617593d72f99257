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
mod literal_names;
mod member_scorer;
mod paths;
mod predictions;
mod predictor;
mod rows;
mod score_changes;
mod scorer;
mod tables;
mod together;
mod top_classes;
mod unsettled;
mod write;

pub use self::error::PredictError;
#[doc(hidden)]
pub use self::head::Head;
pub use self::paths::PredictionPaths;
pub use self::predictions::Predictions;
pub use self::predictor::Predictor;
pub use self::rows::{BadRows, FeatureRows};
pub use self::score_changes::ScoreChanges;
pub use self::scorer::Scorer;
pub use self::top_classes::TopClasses;
pub use self::unsettled::Unsettled;
pub use self::write::PredictionSummary;

pub(crate) use self::blend_sum::BlendSum;
pub(crate) use self::tables::PredictionTables;
