//! Evaluating: scores of any model beside the truth, in all metrics, and how often rules are broken.
//!
//! ```text
//! truth.csv ──┐
//!             ├─ Tables (classes by name, rows by id or place) ── Evaluation
//! scores.csv ─┘                                                    ▲
//! Model, Dataset ── Model::evaluate ───────────────────────────────┘ of each member, of all
//! ```
//!
//! An [`Evaluation`] needs no files: [`Evaluation::of`] takes scores, decisions and truth from
//! anywhere. [`Tables`] finds them in two tables. A class is predicted where [`apply`](crate::apply)
//! says so, by [`Scale::predicts`](crate::scores::Scale::predicts).

mod columns;
mod error;
mod evaluation;
mod model;
mod tables;
mod truth;

pub use error::{EvaluateError, NotBinary, Wanting};
pub use evaluation::{Evaluation, EvaluationRequest, ScoredRows, ViolationRate};
#[doc(hidden)]
pub use model::Scored;
pub use model::{MemberEvaluations, ModelEvaluation};
#[doc(hidden)]
pub use tables::{Request, Tables};
