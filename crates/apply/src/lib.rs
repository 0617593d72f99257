//! Rules on the scores of any model: whole rows, lists of the classes that a row has, tables of id, class and score;
//! and why a class was decided as it was.
//!
//! ```text
//! scores ── Scale ──> margins ── ConstraintLayer ──> coherent margins, delegates ──> tables
//!                                                              └── Explanation ──> tree
//! ```
//!
//! This crate is a part of `rulebound`; programs should use that.

pub mod apply;
pub mod explain;
pub mod long_table;
pub mod sparse;
pub mod tables;
