//! The paper's data sets, settings and experiments.
//!
//! `catalogue`: the counts of the 36 data sets. `train_catalogue`: no broken rule on any of them.
//! `published_rules`: the authors' mined rules. `grid`: the paper's grids. `paper`: its printed
//! ranks from its printed values. `linear_methods`: BR, ECC, RAKEL and CAMEL as printed.
//! `reproduce`: from plans to results, shared and interrupted. `systems`: the same for other
//! methods and blends.
#![allow(clippy::unwrap_used)]

mod catalogue;
mod grid;
mod linear_methods;
mod paper;
mod published_rules;
mod reproduce;
mod systems;
mod train_catalogue;
