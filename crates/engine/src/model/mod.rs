//! A model: networks, and everything without which their outputs mean nothing.
//!
//! One file holds the weights of all members, the rules, the classes, the thresholds, the
//! preprocessing, the configuration and how training went, each in a section of its own. A model
//! never exists apart from its rules. Loading verifies all of it.
//!
//! ```text
//! Model ── file ── section ── tensor ── bundle ──> bytes     (read back before they get a name)
//! bytes ── verified ── header ── opened ── file ──> Model    (checksum before anything is parsed)
//! ```

mod bundle;
mod error;
mod file;
mod header;
mod opened;
mod section;
mod tensor;
mod verified;

pub use error::ModelError;

pub(crate) use bundle::{Bundle, MOST_LAYERS, named_layers};
pub(crate) use opened::Opened;
pub(crate) use section::{Content, KnownSection, Section};

use rulebound_core::{Labels, Program, Thresholds};
use serde::{Deserialize, Serialize};

use crate::configuration::{Configuration, Monitor};
use crate::dataset::Pipeline;
use crate::exact_number;
use crate::network::Network;

/// A trained model.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) program: Program,
    pub(crate) evaluated: Vec<bool>,
    pub(crate) thresholds: Thresholds,
    pub(crate) pipeline: Pipeline,
    pub(crate) configuration: Configuration,
    pub(crate) training: Training,
    pub(crate) members: Vec<Network>,
}

/// How training went; nothing here depends on the machine or the clock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Training {
    /// The name of the data.
    pub data: String,
    /// Rows the networks were trained on.
    pub rows: usize,
    /// The version of rulebound.
    pub version: String,
    /// The members, in order.
    pub members: Vec<MemberTraining>,
}

/// How the training of a member went.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemberTraining {
    /// Its seed.
    pub seed: u64,
    /// Epochs that its weights have seen.
    pub epochs: usize,
    /// The mean training loss of its last epoch.
    #[serde(deserialize_with = "exact_number::deserialize")]
    pub loss: f64,
    /// What was monitored, and the best value; none if nothing was.
    #[serde(deserialize_with = "exact_number::pair::deserialize")]
    pub best: Option<(Monitor, f64)>,
}

impl Model {
    /// The rules.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The classes.
    pub fn labels(&self) -> &Labels {
        self.program.labels()
    }

    /// For each class, whether it counts in the loss and the metrics.
    pub fn evaluated(&self) -> &[bool] {
        &self.evaluated
    }

    /// From where on a class is predicted.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// The same model with other thresholds.
    ///
    /// # Panics
    /// If there is not one threshold for each class.
    #[must_use]
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Self {
        assert_eq!(thresholds.len(), self.labels().len(), "one threshold for each class");
        self.thresholds = thresholds;
        self
    }

    /// What is done with features.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// What it was told.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// How training went.
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// Its networks.
    pub fn members(&self) -> &[Network] {
        &self.members
    }
}
