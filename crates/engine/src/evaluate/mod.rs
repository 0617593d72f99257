//! Evaluation: the scores of any model against the ground truth, in all metrics, and how often
//! rules are broken.
//!
//! ```text
//! truth.csv ──┐
//!             ├─ Tables (classes by name, rows by id or order) ── LabelledScores ── Evaluation
//! scores.csv ─┘                                                         ▲
//! Model, Dataset ── Model::score, of each member, of all ───────────────┘
//! ```
//!
//! An [`Evaluation`] needs no files: [`LabelledScores`](crate::labelled_scores::LabelledScores) are scores and ground
//! truth from anywhere. [`Tables`] reads them from two tables. A class is predicted in the same
//! cases as in [`apply`](crate::apply), by [`Scale::predicts`](crate::scores::Scale::predicts).

mod columns;
mod error;
mod evaluation;
mod model;
mod part_logits;
mod tables;
mod truth;

pub use error::{EvaluateError, NeededBy, NotBinary};
pub use evaluation::{Evaluation, ViolationRate};
pub use model::{MemberEvaluations, ModelEvaluation};
pub use part_logits::PartLogits;
#[doc(hidden)]
pub use tables::{Request, Tables};
