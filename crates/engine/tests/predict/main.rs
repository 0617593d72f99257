//! From files of features to files of predictions.
//!
//! What a row reader accepts belongs in `rows`, what it refuses in `refusals`, that it reads as
//! data sets are read in `same`, what predicting writes in `tables`, that predictions obey the
//! rules in `coherence`.
#![allow(clippy::unwrap_used)]

mod refusals;
mod rows;
mod same;
mod scene;
