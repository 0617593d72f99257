//! Comparing methods over many data sets: ranks, significance tests and the diagram.
//!
//! ```text
//! results.csv … ── ResultTable ── choose(metric) ──> Scores (sets × methods)
//!                                                      └─ Comparison ──┬─> text, JSON, Markdown
//!                                          (statistics: ranks, tests)  └─> diagram, SVG
//! ```
//!
//! Invariant: what is compared is compared on the same sets. A set that lacks a method is left out
//! and named, unless the caller says that a method without a value counts as the last there.

mod comparison;
mod diagram;
mod metric_name;
mod scores;
#[doc(hidden)]
pub mod statistics;
mod table;

pub use comparison::{Against, CompareError, Comparison, Ranked, Request};
pub use diagram::diagram;
pub use metric_name::MetricName;
pub use scores::{ChooseError, Lacking, Missing, Scores};
#[doc(hidden)]
pub use table::{Mistake, Mistakes};
pub use table::{Problem, ResultTable, ResultTableError};
