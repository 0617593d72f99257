//! The GPU against the CPU. All tests but those of `kernels` need a GPU, and are ignored unless requested,
//! as `scripts/gpu-check` does.
#![allow(clippy::unwrap_used)]

mod kernels;
mod layer;
mod level_networks;
mod runs;
mod short;
mod steps;
#[path = "../../../../core/tests/strategy/mod.rs"]
mod strategy;

use super::Gpu;
use crate::dataset::{Dataset, ReadOptions, Source};

/// The GPU; panics if there is none.
fn gpu() -> Gpu {
    Gpu::open(0).unwrap_or_else(|error| panic!("this test needs a GPU: {error}"))
}

/// A data set of the paper.
fn set(name: &str) -> Dataset {
    let data = rulebound_testing::needs::data();
    let folders = ["hmc", "lcmc"].map(|collection| data.join(collection).join(name));
    let folder = folders.into_iter().find(|folder| folder.is_dir());
    let folder = folder.unwrap_or_else(|| panic!("{name} is not in {}", data.display()));
    let data = Source::Path(folder).read(&ReadOptions::default());
    data.unwrap_or_else(|error| panic!("{name}: {error}"))
}
