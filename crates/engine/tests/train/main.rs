//! Training, models and their files.
//!
//! `adam`: PyTorch's steps. `learning`: losses fall, rules hold. `same`: the same bits, however a
//! run is interrupted, split and threaded. `model`: the file. `damage`, `checkpoint`: invalid
//! files, made by `forge`. `refusals`: what cannot be trained. `sparse`: sparse features. `stream`: rows on a
//! disk.
#![allow(clippy::unwrap_used)]

mod adam;
mod checkpoint;
mod damage;
mod folds;
mod forge;
mod learning;
mod merge;
mod model;
mod refusals;
mod same;
mod scene;
mod sparse;
mod stream;
