//! The GPU against the CPU. All tests but those of `kernels` need a GPU, and are ignored unless requested,
//! as `scripts/gpu-check` does.
#![allow(clippy::unwrap_used)]

mod kernels;
mod layer;
mod level_networks;
mod loss;
mod products;
mod runs;
mod short;
mod sparse;
mod steps;
#[path = "../../../../core/tests/strategy/mod.rs"]
mod strategy;

use super::Gpu;
use crate::dataset::{Dataset, ReadOptions, Source};

/// The GPU; panics if there is none. With `RULEBOUND_TEST_CAPABILITY=8.0` it computes as a GPU of that compute
/// capability does that has no binary: so one GPU tests the kernels of several.
fn gpu() -> Gpu {
    let gpu = Gpu::open(0).unwrap_or_else(|error| panic!("this test needs a GPU: {error}"));
    let wanted = std::env::var("RULEBOUND_TEST_CAPABILITY").unwrap_or_default();
    let Some((major, minor)) = wanted.split_once('.') else { return gpu };
    gpu.as_of((major.parse().unwrap(), minor.parse().unwrap())).unwrap()
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
