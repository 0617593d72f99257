//! Comparing methods over many data sets: ranks, significance tests and the diagram.
//!
//! ```text
//! results.csv … ── ResultTable ── choose(metric) ──> Scores (sets × methods)
//!                                                      └─ Comparison ──┬─> text, JSON, Markdown
//!                                          (statistics: ranks, tests)  └─> diagram, SVG
//! ```
//!
//! Invariant: methods are compared on the same data sets. A data set without a value for some
//! method is dropped and named, unless the caller chooses to rank that method last.

mod comparison;
mod diagram;
mod error;
mod metric_name;
mod scores;
#[doc(hidden)]
pub mod statistics;
mod table;

pub use comparison::{Against, Comparison, Ranked, Request};
pub use diagram::diagram;
pub use error::{CompareError, IncompleteSet};
pub use metric_name::MetricName;
pub use scores::{ChooseError, Missing, Scores};
#[doc(hidden)]
pub use table::{Mistake, Mistakes};
pub use table::{Problem, ResultTable, ResultTableError};
