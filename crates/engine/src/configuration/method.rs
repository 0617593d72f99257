//! The methods of training and prediction that the paper compares.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use rulebound_core::UnknownName;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::learner::{self, LearnerMethod, LearnerSettings, RegisterError};

/// How the loss and the predictions use the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// Constraint loss and constraint layer: CCN(h), on hierarchies C-HMCNN(h).
    #[default]
    Ccn,
    /// Cross-entropy of the constraint layer's output: h + CM.
    Cm,
    /// Cross-entropy of the network alone; the layer only at prediction: h⁺, f⁺.
    Post,
    /// Cross-entropy of the network alone, and predictions that may break rules: h, f.
    None,
    /// One output per class, without the classes that imply it (A ∖ A₁), trained with
    /// cross-entropy; the layer takes the unions at prediction: g⁺.
    Complement,
    /// Not a network but the learner with this name in the [registry](learner::methods), then the layer.
    Learner(&'static str),
}

impl Method {
    /// The methods that train networks.
    pub const NETWORKS: [Self; 5] = [Self::Ccn, Self::Cm, Self::Post, Self::None, Self::Complement];

    /// The frequency of each class in the training rows: a floor to compare with.
    pub const PRIOR: Self = Self::Learner("prior");

    /// Binary relevance: a logistic regression for each class.
    pub const BR: Self = Self::Learner("br");

    /// A forest of extremely randomised trees, or a random forest.
    pub const FOREST: Self = Self::Learner("forest");

    /// All methods: those that train networks, then those of the registry.
    pub fn all() -> impl Iterator<Item = Self> {
        let learners = learner::methods().iter().map(|method| Self::Learner(method.name));
        Self::NETWORKS.into_iter().chain(learners)
    }

    /// Adds learners to those of this crate, for this program; see [`LearnerMethod`].
    ///
    /// # Errors
    /// If a name is taken, or if methods were already used or registered: this comes first.
    pub fn register(learners: &[LearnerMethod]) -> Result<(), RegisterError> {
        let is_network = |name| Self::NETWORKS.iter().any(|network| network.name() == name);
        match learners.iter().find(|learner| is_network(learner.name)) {
            Some(learner) => Err(RegisterError::Name(learner.name)),
            None => learner::register(learners),
        }
    }

    /// The names of all methods.
    pub fn names() -> &'static [&'static str] {
        static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
        NAMES.get_or_init(|| Self::all().map(Self::name).collect())
    }

    /// The name, as it is written in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ccn => "ccn",
            Self::Cm => "cm",
            Self::Post => "post",
            Self::None => "none",
            Self::Complement => "complement",
            Self::Learner(name) => name,
        }
    }

    /// Whether predictions go through the constraint layer, and so never break a rule.
    pub const fn is_coherent(self) -> bool {
        !matches!(self, Self::None)
    }

    /// Whether it trains networks.
    pub const fn is_network(self) -> bool {
        !matches!(self, Self::Learner(_))
    }

    /// Whether it can be trained on a GPU.
    pub fn trains_on_gpu(self) -> bool {
        self.learner_settings().is_none_or(|settings| settings.abilities().trains_on_gpu)
    }

    /// Whether it is trained epoch by epoch, and may stop early.
    pub fn has_epochs(self) -> bool {
        self.learner_settings().is_none_or(|settings| settings.abilities().has_epochs)
    }

    /// The learner in the registry; none for a network.
    pub fn learner(self) -> Option<&'static LearnerMethod> {
        match self {
            Self::Learner(name) => learner::method(name),
            _ => None,
        }
    }

    /// The settings that it has by itself; `None` for a network.
    pub fn learner_settings(self) -> Option<LearnerSettings> {
        self.learner().map(|method| (method.settings)())
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|method| method.name() == name).ok_or_else(|| UnknownName {
            what: "a method",
            name: name.to_owned(),
            known: Self::names(),
        })
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
