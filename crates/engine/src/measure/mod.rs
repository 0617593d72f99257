//! What an evaluation does not say by itself: the metrics of each class, further metrics,
//! confidence intervals, curves.
//!
//! ```text
//!                        ┌─ figures ── Bootstrap ──> Interval, differences
//! LabelledPredictions ───┼─ class_metrics ──> class table, worst and best
//!                        └─ curves ──> SVG
//! ```
//!
//! Everything is computed from the same scores, decisions and truth as the
//! [`Evaluation`](crate::Evaluation) of the same rows, with the same classes.

mod bootstrap;
mod class_table;
mod curves;
mod figures;
mod rows;

pub use bootstrap::{Bootstrap, Interval};
pub use class_table::{ranked_classes, write_class_table};
pub use curves::{curves, reliability_chart};
pub use figures::{Figure, Figures};
