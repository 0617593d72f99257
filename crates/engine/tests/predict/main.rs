//! From files of features to files of predictions.
//!
//! What predicting writes belongs in `tables`, that predictions obey the rules in `coherence`, that
//! memory does not grow with the rows in `memory`, that dense, sparse, batched and explained rows
//! agree in `dense_sparse`; what a row reader reads in the tests of `rulebound-data`.
#![allow(clippy::unwrap_used)]

mod coherence;
mod dense_sparse;
mod memory;
#[path = "../../../data/tests/rows/scene.rs"]
#[allow(dead_code)]
mod rows;
mod scene;
#[path = "../../../core/tests/strategy/mod.rs"]
mod strategy;
mod tables;
