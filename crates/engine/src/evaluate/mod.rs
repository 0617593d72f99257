//! Evaluation: the scores of any model against the ground truth, in all metrics, and how often
//! rules are broken.
//!
//! ```text
//! truth.csv ──┐
//!             ├─ Tables (classes by name, rows by id or order) ── Evaluation
//! scores.csv ─┘                                                    ▲
//! Model, Dataset ── Model::evaluate ───────────────────────────────┘ of each member, of all
//! ```
//!
//! An [`Evaluation`] needs no files: [`Evaluation::of`] takes scores, decisions and ground
//! truth from anywhere. [`Tables`] reads them from two tables. A class is predicted in the same
//! cases as in [`apply`](crate::apply), by [`Scale::predicts`](crate::scores::Scale::predicts).

mod columns;
mod error;
mod evaluation;
mod model;
mod part_logits;
mod table_rows;
mod tables;
mod truth;
mod truth_policy;

pub use error::{EvaluateError, NeededBy, NotBinary};
pub use evaluation::{Evaluation, EvaluationRequest, ScoredRows, ViolationRate};
#[doc(hidden)]
pub use model::Scored;
pub use model::{MemberEvaluations, ModelEvaluation};
pub use part_logits::PartLogits;
#[doc(hidden)]
pub use table_rows::TableRows;
#[doc(hidden)]
pub use tables::{Request, Tables};
pub use truth_policy::TruthUnderRules;
