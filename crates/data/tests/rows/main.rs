//! From files of features to rows for a model.
//!
//! What a row reader accepts belongs in `files`, what it refuses in `refusals`, that it reads as
//! data sets are read in `same`.
#![allow(clippy::unwrap_used)]

mod files;
mod refusals;
mod same;
mod scene;
