//! Data sets and rule files: what a model learns from.
//!
//! ```text
//! file ── dataset::Source ──> Dataset ── Pipeline ──> rows of numbers
//! rules ── rule_file ──> core::Program ── unknown_labels ──> the same over the classes of the data
//!                  Dataset ── mine ──> rules
//! ```
//!
//! This crate is a part of `rulebound`; programs should use that.

pub mod broken_lines;
pub mod class_names;
pub mod completion;
pub mod dataset;
pub mod label_policy;
pub mod mine;
pub mod rule_file;
pub mod unknown_labels;
