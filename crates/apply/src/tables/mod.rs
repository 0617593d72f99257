//! What is written of coherent predictions: tables of scores, decisions, delegates and the highest classes, for scores of
//! any model and for predictions of ours.

mod literal_names;
mod paths;
mod prediction_tables;
mod score_changes;
mod top_classes;
mod unsettled;

pub use paths::PredictionPaths;
pub use prediction_tables::PredictionTables;
pub use score_changes::ScoreChanges;
pub use top_classes::TopClasses;
pub use unsettled::Unsettled;
