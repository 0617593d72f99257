//! Training, models and their files.
//!
//! `adam`: PyTorch's steps. `learning`: losses fall, rules hold. `same`: the same bits, however a
//! run is cut, split and threaded. `model`: the file. `refusals`: what cannot be trained.
#![allow(clippy::unwrap_used)]

mod adam;
mod learning;
mod model;
mod refusals;
mod same;
mod scene;
