//! Making the paper's experiments again.
//!
//! ```text
//! Target … ── Plan (Batch = Subject × method × seeds) ── reproduce ──> Results (a Row a network)
//!                                                             └──────> models, logs
//! ```
//!
//! Invariants: a row is written once, when its network is finished and measured. Any number of
//! processes can work in one folder: a [`Batch`] belongs to the one that holds its claim. What a
//! run gives does not depend on how often it was stopped, nor on who else was at work.

mod claim;
mod error;
mod estimate;
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
mod target;

pub use error::ReproduceError;
pub use estimate::Pace;
pub use folder::Folder;
pub use known::Known;
pub use observer::{Failed, Observer};
pub use plan::{Batch, Plan, PlanError, PlanRequest};
pub use results::Results;
pub use row::{ENSEMBLE, NotSeeds, Row, Seeds};
pub use run::{Reproduction, reproduce};
pub use subject::Subject;
pub use target::Target;
