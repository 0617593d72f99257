//! What a run records: its phases, what epochs came to, how far members are.

use serde::{Deserialize, Serialize};

use crate::exact_number;

/// The parts of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Training with an eye on the validation rows.
    Search,
    /// Training on all rows for a number of epochs that is known.
    Final,
}

/// What the first phase found out about a member: the best epoch and its value.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Searched {
    pub epoch: usize,
    #[serde(with = "exact_number")]
    pub value: f64,
}

/// What an epoch of a member came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EpochRecord {
    /// The phase.
    pub phase: Phase,
    /// The member, by its seed.
    pub seed: u64,
    /// The epoch, from 1.
    pub epoch: usize,
    /// The mean loss over the training rows, as they were met.
    pub loss: f64,
    /// AU(PRC) of the validation rows, where there are any and it is defined.
    pub valid_auprc: Option<f64>,
    /// The loss of the validation rows.
    pub valid_loss: Option<f64>,
    /// Seconds the epoch took, those before a stop included.
    pub seconds: f64,
}

/// How far a member is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Epochs that are complete.
    pub epoch: usize,
    /// Steps of the epoch that are done.
    pub step: usize,
    /// Steps of all epochs: Adam's time.
    pub total_steps: u64,
    /// Sum of the losses of the epoch's rows so far.
    #[serde(with = "exact_number")]
    pub loss: f64,
    /// Seconds that the epoch took so far.
    pub seconds: f64,
    /// The mean loss of the last complete epoch.
    #[serde(with = "exact_number::optional")]
    pub last_loss: Option<f64>,
    /// The best epoch, from 1, and its monitored value.
    #[serde(with = "exact_number::pair")]
    pub best: Option<(usize, f64)>,
    /// Epochs after which the member is done.
    pub most: Option<usize>,
    pub is_done: bool,
}
