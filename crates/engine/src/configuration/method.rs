//! The methods of training and prediction that the paper compares.

use serde::{Deserialize, Serialize};

use crate::learner::{ClusSettings, ForestSettings, LearnerSettings, PriorSettings};

rulebound_core::named_enum! {
    /// How the loss and the predictions use the rules.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Method: "a method" {
        /// Constraint loss and constraint layer: CCN(h), on hierarchies C-HMCNN(h).
        #[default]
        Ccn = "ccn",
        /// Cross-entropy of the constraint layer's output: h + CM.
        Cm = "cm",
        /// Cross-entropy of the network alone; the layer only at prediction: h⁺, f⁺.
        Post = "post",
        /// Cross-entropy of the network alone, and predictions that may break rules: h, f.
        None = "none",
        /// One output per class, without the classes that imply it (A ∖ A₁), trained with
        /// cross-entropy; the layer takes the unions at prediction: g⁺.
        Complement = "complement",
        /// The frequency of each class in the training rows, then the layer: a floor to compare
        /// with. Not a network.
        Prior = "prior",
        /// Predictive clustering trees (Clus-HMC, Clus-Ens), then the layer. Not networks.
        Clus = "clus",
        /// A forest of extremely randomised trees, or a random forest, then the layer. Not a
        /// network.
        Forest = "forest",
    }
}

impl Method {
    /// Whether predictions go through the constraint layer, and so never break a rule.
    pub const fn is_coherent(self) -> bool {
        !matches!(self, Self::None)
    }

    /// The methods that train networks.
    pub const NETWORKS: [Self; 5] = [Self::Ccn, Self::Cm, Self::Post, Self::None, Self::Complement];

    /// Whether it trains networks.
    pub fn is_network(self) -> bool {
        self.learner_settings().is_none()
    }

    /// Whether it is trained epoch by epoch, and may stop early.
    pub fn has_epochs(self) -> bool {
        self.is_network()
    }

    /// The settings that it has by itself; `None` for a network.
    pub fn learner_settings(self) -> Option<LearnerSettings> {
        match self {
            Self::Ccn | Self::Cm | Self::Post | Self::None | Self::Complement => None,
            Self::Prior => Some(LearnerSettings::Prior(PriorSettings::default())),
            Self::Clus => Some(LearnerSettings::Clus(ClusSettings::default())),
            Self::Forest => Some(LearnerSettings::Forest(ForestSettings::default())),
        }
    }
}
