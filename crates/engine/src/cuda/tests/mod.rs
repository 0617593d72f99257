//! The GPU against the CPU. Without a GPU that can be used these tests say so and pass.
#![allow(clippy::unwrap_used)]

mod kernels;
mod layer;
mod runs;
mod short;
mod steps;
#[path = "../../../../core/tests/strategy/mod.rs"]
mod strategy;

use std::path::{Path, PathBuf};

use super::Gpu;
use crate::dataset::{Dataset, ReadOptions, Source};

/// The GPU, or a word on why there is none.
fn gpu() -> Option<Gpu> {
    match Gpu::open(0) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// A set of the paper, or a word on why it is not there.
fn set(name: &str) -> Option<Dataset> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let given = std::env::var_os("RULEBOUND_DATA").map(Into::into);
    let folder: PathBuf = given.unwrap_or(beside);
    let folders = ["hmc", "lcmc"].map(|collection| folder.join(collection).join(name));
    let folder = folders.into_iter().find(|folder| folder.is_dir());
    let data = folder.and_then(|it| Source::Path(it).read(&ReadOptions::default()).ok());
    if data.is_none() {
        eprintln!("skipped: the data of {name} is not here");
    }
    data
}
