//! What the tests and benches of the workspace share. Nothing here is published.
//!
//! [`Scene`] is a folder with files to test in; [`needs`] is what some tests need in addition to
//! the repository; [`python`] asks another implementation; [`in_turns`] and
//! [`process_memory`] measure; [`write_array`] writes large arrays; [`Derivations`] are problems with rules; [`wait_until`] waits; [`ModuleGraph`] and [`Document`] read the repository itself: which module uses which, and
//! what the documents name.
//!
//! This crate depends on no other crate of the workspace, so that all of them can be tested with
//! it, including their private modules. Errors are panics, which fail a test.
#![allow(clippy::unwrap_used)]

mod array;
mod bench;
mod derivations;
mod document;
mod memory;
mod modules;
pub mod needs;
pub mod python;
mod random;
mod scene;
mod wait;

pub use array::{archive, write_array};
pub use bench::in_turns;
pub use derivations::{COLUMNS, Derivations};
pub use document::Document;
pub use memory::process_memory;
pub use modules::{Cycle, Edge, ModuleGraph};
pub use random::Random;
pub use scene::{Scene, gzip};
pub use wait::wait_until;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
