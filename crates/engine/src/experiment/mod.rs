//! Experiments: methods beside each other over many sets, and what the differences are worth.
//!
//! ```text
//! results.csv … ── ResultTable ── choose(metric) ──> Scores (sets × methods)
//!                                                      └─ Comparison ──┬─> text, JSON, Markdown
//!                                          (statistics: ranks, tests)  └─> diagram, SVG
//! ```
//!
//! Results come from anywhere, or from [`reproduce()`], which makes the paper's experiments again;
//! [`paper`] has what it prints, and [`report()`] lays both beside each other.
//!
//! Invariant: what is compared is compared on the same sets. A set that lacks a method is left out
//! and named, unless the caller says that a method without a value counts as the last there.

mod comparison;
mod diagram;
mod metric;
pub mod paper;
mod report;
mod reproduce;
mod scores;
pub mod statistics;
mod table;

pub use comparison::{Against, CompareError, Comparison, Ranked, Request};
pub use diagram::diagram;
pub use metric::{Direction, Metric};
pub use paper::PrintedTable;
pub use report::{
    Block, Cell, Circumstances, Column, Document, Figure, Mark, Markdown, Section, Table, report,
};
pub use reproduce::{
    Batch, ENSEMBLE, Failed, Folder, Known, NotSeeds, Observer, Pace, Plan, PlanError, PlanRequest,
    ReproduceError, Reproduction, Results, Row, Seeds, Subject, Target, UnknownTarget, reproduce,
};
pub use scores::{ChooseError, Lacking, Missing, Scores};
pub use table::{Mistake, Problem, ResultTable, TableError};
