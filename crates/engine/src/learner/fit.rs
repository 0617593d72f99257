//! The settings of a learner, which know how to fit it.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use serde::Serialize;

use super::epochs::{EpochPlan, FittedMember};
use super::fitted::Fitted;
use super::named_tensors::NamedTensors;
use super::rows::{FitError, FitRows};
use super::settings::LearnerSettings;
use super::watch::Watch;
use crate::bad_configuration::BadConfiguration;
use crate::dataset::Scaling;

/// The settings of a kind of learner: what is valid, how it is fitted and restored, what it can do.
///
/// Equal rows, settings and seed must give equal bits, with any number of threads.
pub trait Fit: Setting {
    /// The kind, in configurations: `{"forest": {"trees": 200}}`.
    fn kind(&self) -> &'static str;

    /// The section of a model file with the arrays of what is fitted, and its latest version.
    fn section(&self) -> (&'static str, u32) {
        (self.kind(), 1)
    }

    /// Settings of this kind from JSON.
    ///
    /// # Errors
    /// If they are not of this kind.
    fn read(&self, json: serde_json::Value) -> Result<LearnerSettings, serde_json::Error>;

    /// What is invalid.
    fn mistakes(&self) -> Vec<BadConfiguration>;

    /// Fits a member. Only a learner [trained by epochs](Self::has_epochs) uses the validation rows and the plan.
    ///
    /// # Errors
    /// [`FitError`].
    ///
    /// # Panics
    /// If the plan searches without validation rows.
    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError>;

    /// A member from its arrays, which may be damaged.
    ///
    /// # Errors
    /// A sentence about what is wrong with them.
    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored;

    /// How features are prepared unless something else is requested; `None`: as for networks.
    fn scaling(&self) -> Option<Scaling> {
        None
    }

    /// Whether missing cells and codes of nominal columns may reach the learner.
    fn takes_untouched(&self) -> bool {
        false
    }

    /// Whether it is trained epoch by epoch, and may stop early.
    fn has_epochs(&self) -> bool {
        false
    }

    /// Whether it can be trained on a GPU.
    fn trains_on_gpu(&self) -> bool {
        false
    }

    /// Whether the seed makes no difference.
    fn is_deterministic(&self) -> bool {
        false
    }

    /// Whether its chains, label sets or trees are its members, so that it has no others.
    fn has_own_members(&self) -> bool {
        false
    }

    /// The same with another number of what it consists of (trees, chains); `None` if it has no such number.
    fn counted(&self, _count: usize) -> Option<LearnerSettings> {
        None
    }
}

/// A member to fit.
#[derive(Clone, Copy, Debug)]
pub struct FitTask<'a> {
    /// The training rows.
    pub rows: &'a FitRows<'a>,
    /// The validation rows, if there are any.
    pub valid: Option<&'a FitRows<'a>>,
    /// The seed of the member.
    pub seed: u64,
    /// How long to train.
    pub plan: EpochPlan,
    /// Stops the fit, and is told how far it is.
    pub watch: Watch<'a>,
}

/// A learner from its arrays, or a sentence about what is wrong with them.
pub type Restored = Result<Arc<dyn Fitted>, String>;

/// What settings can do behind [`Fit`]; derived from what is derived for them.
pub trait Setting: Any + Debug + Send + Sync {
    /// Whether the other settings are the same.
    fn is_same(&self, other: &dyn Any) -> bool;

    /// The settings as JSON, in the order of their fields.
    ///
    /// # Errors
    /// If they cannot be written.
    fn to_json(&self) -> Result<String, serde_json::Error>;
}

impl<S: Any + Debug + Send + Sync + PartialEq + Serialize> Setting for S {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}
