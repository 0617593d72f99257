//! The settings of every kind of learner that is not a network.

use serde::{Deserialize, Serialize};

use super::camel::CamelSettings;
use super::chain::ChainSettings;
use super::clus::ClusSettings;
use super::forest::ForestSettings;
use super::labelset::{LabelsetDraw, LabelsetSettings};
use super::level_network::LevelNetworkSettings;
use super::lmlp::LmlpSettings;
use super::logistic::LogisticSettings;
use super::prior::PriorSettings;
use super::two_way::TwoWaySettings;
use crate::bad_configuration::BadConfiguration;
use crate::dataset::Scaling;

/// The settings of a learner, by its kind. Networks have theirs in
/// [`Configuration`](crate::train::Configuration) itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum LearnerSettings {
    /// Class frequencies.
    Prior(PriorSettings),
    /// One logistic regression per class.
    Logistic(LogisticSettings),
    /// Classifier chains.
    Chains(ChainSettings),
    /// Label sets.
    Labelsets(LabelsetSettings),
    /// CAMEL.
    Camel(CamelSettings),
    /// Predictive clustering trees.
    Clus(ClusSettings),
    /// A forest.
    Forest(ForestSettings),
    /// Local perceptrons: HMC-LMLP.
    Lmlp(LmlpSettings),
    /// Level networks with a layer for each level: HMCN-F.
    HmcnF(LevelNetworkSettings),
    /// Level networks with one cell for all levels: HMCN-R.
    HmcnR(LevelNetworkSettings),
    /// Two-way networks.
    Dhn(TwoWaySettings),
}

impl LearnerSettings {
    /// What is invalid.
    pub fn mistakes(&self) -> Vec<BadConfiguration> {
        match self {
            Self::Prior(settings) => settings.mistakes(),
            Self::Logistic(settings) => settings.mistakes(),
            Self::Chains(settings) => settings.mistakes(),
            Self::Labelsets(settings) => settings.mistakes(),
            Self::Camel(settings) => settings.mistakes(),
            Self::Clus(settings) => settings.mistakes(),
            Self::Forest(settings) => settings.mistakes(),
            Self::Lmlp(settings) => settings.mistakes(),
            Self::HmcnF(settings) | Self::HmcnR(settings) => settings.mistakes(),
            Self::Dhn(settings) => settings.mistakes(),
        }
    }

    /// How features are prepared unless something else is requested; `None`: as for networks.
    pub fn scaling(&self) -> Option<Scaling> {
        match self {
            Self::Prior(_)
            | Self::Logistic(_)
            | Self::Chains(_)
            | Self::Labelsets(_)
            | Self::Camel(_)
            | Self::Lmlp(_)
            | Self::HmcnF(_)
            | Self::HmcnR(_)
            | Self::Dhn(_) => None,
            Self::Clus(_) | Self::Forest(_) => Some(Scaling::Untouched),
        }
    }

    /// Whether missing cells and codes of nominal columns may reach the learner.
    pub fn takes_untouched(&self) -> bool {
        match self {
            Self::Prior(_) | Self::Clus(_) | Self::Forest(_) => true,
            Self::Logistic(_) | Self::Chains(_) | Self::Labelsets(_) | Self::Camel(_) => false,
            Self::Lmlp(_) | Self::HmcnF(_) | Self::HmcnR(_) | Self::Dhn(_) => false,
        }
    }

    /// Whether it is trained epoch by epoch, and may stop early.
    pub fn has_epochs(&self) -> bool {
        matches!(self, Self::Lmlp(_) | Self::HmcnF(_) | Self::HmcnR(_) | Self::Dhn(_))
    }

    /// The same with another number of what it consists of (trees, chains); `None` if it has no
    /// such number.
    pub fn counted(self, count: usize) -> Option<Self> {
        match self {
            Self::Chains(settings) if settings.random_order => {
                Some(Self::Chains(ChainSettings { chains: count, ..settings }))
            }
            Self::Labelsets(settings) if settings.draw == LabelsetDraw::Overlapping => {
                Some(Self::Labelsets(LabelsetSettings { sets: Some(count), ..settings }))
            }
            Self::Prior(_)
            | Self::Logistic(_)
            | Self::Chains(_)
            | Self::Labelsets(_)
            | Self::Camel(_)
            | Self::Lmlp(_)
            | Self::HmcnF(_)
            | Self::HmcnR(_)
            | Self::Dhn(_) => None,
            Self::Clus(settings) => Some(Self::Clus(ClusSettings { trees: count, ..settings })),
            Self::Forest(settings) => {
                Some(Self::Forest(ForestSettings { trees: count, ..settings }))
            }
        }
    }

    /// Whether the seed makes no difference.
    pub fn is_deterministic(&self) -> bool {
        match self {
            Self::Prior(_) | Self::Logistic(_) | Self::Camel(_) => true,
            Self::Chains(settings) => !settings.random_order,
            Self::Labelsets(settings) => settings.draw == LabelsetDraw::Paper,
            Self::Clus(settings) => settings.trees == 1,
            Self::Forest(_) | Self::Lmlp(_) | Self::HmcnF(_) | Self::HmcnR(_) | Self::Dhn(_) => {
                false
            }
        }
    }

    /// Whether its chains, label sets or trees are its members, so that it has no others.
    pub fn has_own_members(&self) -> bool {
        matches!(self, Self::Chains(_) | Self::Labelsets(_) | Self::Clus(_) | Self::Forest(_))
    }
}
