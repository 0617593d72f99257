//! Records of a run: its phases, the results of epochs, the progress of members.

use serde::{Deserialize, Serialize};

use crate::exact_number;

/// The parts of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Training while monitoring the validation rows.
    Search,
    /// Training on all rows for a known number of epochs.
    Final,
}

/// The result of the first phase for a member: the best epoch and its value.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::train) struct Searched {
    pub epoch: usize,
    #[serde(with = "exact_number")]
    pub value: f64,
}

/// The result of one epoch of a member.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EpochRecord {
    /// The phase.
    pub phase: Phase,
    /// The member, by its seed.
    pub seed: u64,
    /// The epoch, from 1.
    pub epoch: usize,
    /// The mean loss over the training rows, each taken at its own step.
    pub loss: f64,
    /// AU(PRC) on the validation rows, if there are any and it is defined.
    pub valid_auprc: Option<f64>,
    /// The loss on the validation rows.
    pub valid_loss: Option<f64>,
    /// What is monitored on the validation rows, if it is another metric than these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_monitored: Option<f64>,
    /// Seconds the epoch took, including those before an interruption.
    pub seconds: f64,
}

/// The progress of a member.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::train) struct Progress {
    /// Completed epochs.
    pub epoch: usize,
    /// Completed steps of the current epoch.
    pub step: usize,
    /// Steps of all epochs: Adam's step counter.
    pub total_steps: u64,
    /// Sum of the losses of the current epoch's rows so far.
    #[serde(with = "exact_number")]
    pub loss: f64,
    /// Seconds that the current epoch has taken so far.
    pub seconds: f64,
    /// The mean loss of the last completed epoch.
    #[serde(with = "exact_number::optional")]
    pub last_loss: Option<f64>,
    /// The best epoch, from 1, and its monitored value.
    #[serde(with = "exact_number::pair")]
    pub best: Option<(usize, f64)>,
    /// The mean training loss of the best epoch.
    #[serde(with = "exact_number::optional")]
    pub best_loss: Option<f64>,
    /// The maximum number of epochs, after which the member is done.
    pub most: Option<usize>,
    pub is_done: bool,
}

impl Progress {
    /// The mean training loss of the epoch whose weights are kept.
    pub fn kept_loss(&self) -> Option<f64> {
        if self.best.is_some() { self.best_loss } else { self.last_loss }
    }
}
