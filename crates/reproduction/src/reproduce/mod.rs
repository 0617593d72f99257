//! Reproduces the paper's experiments.
//!
//! ```text
//! Target … ── Plan (Batch = Subject × System × seeds) ── reproduce ──> Results (a Row per run)
//!                                                             └──────> models, logs
//! ```
//!
//! Invariants: a row is written once, when its network is finished and measured. Any number of
//! processes can work in one folder: a [`Batch`] belongs to the one that holds its claim. The
//! results of a run do not depend on how often it was stopped, nor on other processes.

mod batch_run;
mod blended;
mod claim;
mod error;
mod estimate;
mod facts;
mod folder;
mod known;
mod measure;
mod observer;
mod plan;
mod results;
mod row;
mod run;
mod size;
mod subject;
mod system;
mod target;
mod watch;

pub use error::ReproduceError;
pub use estimate::Pace;
pub use facts::{ChosenOn, SystemFacts};
pub use folder::Folder;
pub use known::Known;
pub use observer::{Failed, Observer};
pub use plan::{Batch, Plan, PlanError, PlanRequest};
pub use results::Results;
pub use row::{ENSEMBLE, ParseSeedsError, Row, Seeds};
pub use run::{Reproduction, reproduce};
pub use subject::Subject;
pub use system::System;
pub use target::Target;
