//! Metrics: how close scores and decisions are to the ground truth. One metric per file; [`Metric`]
//! names them all, [`Metrics`] computes them all.
//!
//! ```text
//! Columns (which classes count) ─┬─ scores, truth ────> Ranking ───> auprc, macro_auprc,
//!                                │                                  average_precision, coverage_error,
//!                                │                                  one_error, ranking_loss
//!                                └─ decisions, truth ─> Confusion ─> hamming_loss, multilabel_accuracy,
//!                                                                    micro_f1, macro_f1
//! ```
//!
//! These ten are [`Metric`]s. [`ClassMetrics`] has those of each class by itself, and
//! [`FurtherMetrics`] what is computed only when it is asked for: F-max, macro and micro precision
//! and recall, hierarchical ones, and how good probabilities are.
//!
//! All are exact: no score is rounded or put into a bin. Ties are treated as in scikit-learn: tied
//! scores share one rank, the worst of the ranks that they occupy together. A score may be infinite;
//! NaN is an error, never a wrong number.
//!
//! Where labels are not known, [`Columns::with_known`] says so, and every metric leaves them out.
//!
//! Where rows are in many places, [`PartialMetrics`] is a summary of some of them that can be merged with
//! others.
//!
//! A metric is `None` where it is undefined: without any row or any class that counts, and where its
//! own documentation says so.
//!
//! ```
//! use rulebound_core::metrics::{Columns, Ranking, auprc};
//! // Two examples, three classes, row by row.
//! let scores = [0.9f32, 0.8, 0.1, 0.3, 0.2, 0.7];
//! let truth = [true, false, false, false, false, true];
//! let columns = Columns::all(3);
//! let ranking = Ranking::new(&scores, &truth, &columns)?;
//! // The positives come first and third among all six pairs.
//! assert_eq!(auprc(&ranking), Some((1.0 + 2.0 / 3.0) / 2.0));
//! # Ok::<(), rulebound_core::metrics::MetricError>(())
//! ```

mod auprc;
mod average_precision;
mod brier;
mod class_metrics;
mod columns;
mod compensated;
mod confusion;
mod coverage_error;
mod error;
mod f_max;
mod further;
mod hamming_loss;
mod hierarchical;
mod macro_auc;
mod macro_auprc;
mod macro_f1;
mod mean;
mod metric;
mod micro_f1;
mod multilabel_accuracy;
mod one_error;
mod partial;
mod precision_recall;
mod ranked_row;
mod ranking;
mod ranking_loss;
mod reliability;
mod score;
mod staircase;
mod summary;

pub use auprc::auprc;
pub use average_precision::average_precision;
pub use brier::brier;
pub use class_metrics::ClassMetrics;
pub use columns::{Columns, LabelsInMetrics};
pub use confusion::{Confusion, Counts};
pub use coverage_error::coverage_error;
pub use error::MetricError;
pub use f_max::f_max;
pub use further::{FurtherInput, FurtherMetric, FurtherMetrics};
pub use hamming_loss::hamming_loss;
pub use hierarchical::hierarchical;
pub use macro_auc::macro_auc;
pub use macro_auprc::macro_auprc;
pub use macro_f1::macro_f1;
pub use mean::mean_and_deviation;
pub use metric::{Direction, Metric};
pub use micro_f1::micro_f1;
pub use multilabel_accuracy::multilabel_accuracy;
pub use one_error::one_error;
pub use partial::{Bounded, ClassCounts, PartialError, PartialMetrics, PartialResult, Resolution};
pub use precision_recall::{CurvePoint, precision_recall};
pub use ranking::Ranking;
pub use ranking_loss::ranking_loss;
pub use reliability::{RELIABILITY_BINS, Reliability, ReliabilityBin};
pub use score::Score;
pub use summary::Metrics;
