//! The settings of a learner, which know how to fit it.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

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

    /// Takes on the kind of settings that were read, where one type has several kinds.
    fn set_kind(&mut self, _kind: &str) {}

    /// What is invalid.
    fn mistakes(&self) -> Vec<BadConfiguration>;

    /// Fits a member. Only a learner [trained by epochs](Abilities::has_epochs) uses the validation rows and the plan.
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

    /// What it can do.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// The same with another number of what it consists of (trees, chains); `None` if it has no such number.
    fn counted(&self, _count: usize) -> Option<LearnerSettings> {
        None
    }
}

/// What a learner can do with these settings. By default it is random, has members that are fitted at once on a CPU,
/// and needs a number in every cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Abilities {
    /// How features are prepared unless something else is requested; `None`: as for networks.
    pub scaling: Option<Scaling>,
    /// Whether missing cells and codes of nominal columns may reach it.
    pub takes_untouched: bool,
    /// Whether it is trained epoch by epoch, and may stop early.
    pub has_epochs: bool,
    /// Whether it can be trained on a GPU.
    pub trains_on_gpu: bool,
    /// Whether the seed makes no difference.
    pub is_deterministic: bool,
    /// Whether its chains, label sets or trees are its members, so that it has no others.
    pub has_own_members: bool,
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

    /// Settings of the same type and kind from JSON.
    ///
    /// # Errors
    /// If they are not of this type.
    fn read(&self, json: serde_json::Value) -> Result<LearnerSettings, serde_json::Error>;
}

impl<S: Fit + PartialEq + Serialize + DeserializeOwned> Setting for S {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    fn read(&self, json: serde_json::Value) -> Result<LearnerSettings, serde_json::Error> {
        let mut settings: Self = serde_json::from_value(json)?;
        settings.set_kind(self.kind());
        Ok(settings.into())
    }
}
