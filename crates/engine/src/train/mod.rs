//! Training: from a data set and a configuration to a model that cannot break a rule.
//!
//! ```text
//! Dataset ── Pipeline ──> Examples ─┐
//! Configuration ── Objective ───────┼─> Member (one network) ──> Run (phases, checkpoints, log) ──> Model
//! seed ── Draws ────────────────────┘
//! ```
//!
//! A run has one phase or two. With [`Stopping::Epochs`] it trains on train and valid for a fixed
//! number of epochs. With [`Stopping::Early`] it trains on train, evaluates on valid after every
//! epoch and keeps the best network; with `retrain` a second phase then trains a new network on
//! both for as many epochs.
//!
//! Invariants: preprocessing is fitted on the training rows only. Members are independent: each is
//! the network that a run with its seed alone would give. A run that was interrupted and resumed
//! gives the same bits as one that was not.

mod error;
#[cfg(test)]
mod gradients;
mod kept_models;
mod labels;
mod learners;
#[cfg(feature = "cuda")]
mod level_networks_on_gpu;
mod log;
#[cfg(feature = "cuda")]
mod members_on_gpu;
mod objective;
mod observer;
mod paths;
mod run;
mod start;
mod state;
mod trainer;
#[cfg(feature = "cuda")]
mod two_way_on_gpu;
mod weights;

pub use crate::configuration::{
    BadConfiguration, ClassWeights, Configuration, EarlyStopping, LabelPolicy, Method, Monitor,
    Stopping,
};
#[doc(hidden)]
pub use crate::examples::Examples;
pub use error::{MemoryNeed, TrainError};
pub(crate) use kept_models::KeptModels;
pub use labels::BrokenLabels;
#[cfg(all(test, feature = "cuda"))]
pub(crate) use level_networks_on_gpu::fit_level_networks;
pub use log::is_log;
#[doc(hidden)]
pub use objective::{BatchLoss, Objective, ObjectiveSpace};
pub use observer::{Observer, Silent};
pub use paths::RunPaths;
pub(crate) use state::fingerprint::fingerprint;
pub use state::record::{EpochRecord, Phase};
pub use trainer::Trainer;
