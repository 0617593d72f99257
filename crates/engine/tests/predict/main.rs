//! From files of features to files of predictions.
//!
//! What a row reader accepts belongs in `rows`, what it refuses in `refusals`, that it reads as
//! data sets are read in `same`, what predicting writes in `tables`, that predictions obey the
//! rules in `coherence`, that memory does not grow with the rows in `memory`, that dense,
//! sparse, batched and explained rows agree in `dense_sparse`.
#![allow(clippy::unwrap_used)]

mod coherence;
mod dense_sparse;
mod memory;
mod refusals;
mod rows;
mod same;
mod scene;
#[path = "../../../core/tests/strategy/mod.rs"]
mod strategy;
mod tables;
