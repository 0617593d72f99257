//! From files of features to files of predictions.
//!
//! What a row reader accepts belongs in `rows`, what it rejects in `refusals`, that it reads the
//! same as data sets in `same`, what predicting writes in `tables`, that predictions obey the rules
//! in `coherence`, that memory does not grow with the rows in `memory`.
#![allow(clippy::unwrap_used)]

mod coherence;
mod memory;
mod refusals;
mod rows;
mod same;
mod scene;
#[path = "../../../core/tests/strategy/mod.rs"]
mod strategy;
mod tables;
