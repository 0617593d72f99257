//! The settings of every kind of learner that is not a network.

use serde::{Deserialize, Serialize};

use super::level_network::LevelNetworkSettings;
use super::lmlp::LmlpSettings;
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
            Self::Lmlp(settings) => settings.mistakes(),
            Self::HmcnF(settings) | Self::HmcnR(settings) => settings.mistakes(),
            Self::Dhn(settings) => settings.mistakes(),
        }
    }

    /// How features are prepared unless something else is requested; `None`: as for networks.
    pub fn scaling(&self) -> Option<Scaling> {
        match self {
            Self::Prior(_) | Self::Lmlp(_) | Self::HmcnF(_) | Self::HmcnR(_) | Self::Dhn(_) => None,
        }
    }

    /// Whether missing cells and codes of nominal columns may reach the learner.
    pub fn takes_untouched(&self) -> bool {
        match self {
            Self::Prior(_) => true,
            Self::Lmlp(_) | Self::HmcnF(_) | Self::HmcnR(_) | Self::Dhn(_) => false,
        }
    }

    /// Whether it is trained epoch by epoch, and may stop early.
    pub fn has_epochs(&self) -> bool {
        match self {
            Self::Prior(_) => false,
            Self::Lmlp(_) | Self::HmcnF(_) | Self::HmcnR(_) | Self::Dhn(_) => true,
        }
    }

    /// The same with another number of what it consists of (trees, chains); `None` if it has no
    /// such number.
    pub fn counted(self, count: usize) -> Option<Self> {
        let _ = count;
        match self {
            Self::Prior(_) | Self::Lmlp(_) | Self::HmcnF(_) | Self::HmcnR(_) | Self::Dhn(_) => None,
        }
    }

    /// Whether the seed makes no difference.
    pub fn is_deterministic(&self) -> bool {
        match self {
            Self::Prior(_) => true,
            Self::Lmlp(_) | Self::HmcnF(_) | Self::HmcnR(_) | Self::Dhn(_) => false,
        }
    }
}
