//! The methods of training and prediction that the paper compares.

use serde::{Deserialize, Serialize};

use crate::learner::{
    CamelSettings, ChainSettings, ClusSettings, ForestSettings, LabelsetSettings, LearnerSettings,
    LevelNetworkSettings, LmlpSettings, LogisticSettings, PriorSettings, TwoWaySettings,
};

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
        /// Binary relevance: a logistic regression for each class, then the layer.
        Br = "br",
        /// A classifier chain of logistic regressions in the order of the data, then the layer.
        Cc = "cc",
        /// Classifier chains in random orders, their probabilities averaged, then the layer.
        Ecc = "ecc",
        /// RAkEL: logistic regressions over overlapping label sets, then the layer.
        Rakel = "rakel",
        /// RAkELd: logistic regressions over a partition into label sets, then the layer.
        #[serde(rename = "rakel-d")]
        RakelD = "rakel-d",
        /// CAMEL: a kernel machine whose classes collaborate, then the layer.
        Camel = "camel",
        /// Predictive clustering trees (Clus-HMC, Clus-Ens), then the layer. Not networks.
        Clus = "clus",
        /// A forest of extremely randomised trees, or a random forest, then the layer. Not a
        /// network.
        Forest = "forest",
        /// A perceptron for each level of a hierarchy, which sees the outputs of the level above:
        /// HMC-LMLP.
        Lmlp = "lmlp",
        /// A network with a layer and outputs for each level of a hierarchy: HMCN-F.
        #[serde(rename = "hmcn-f")]
        HmcnF = "hmcn-f",
        /// A network with a cell that passes through the levels of a hierarchy: HMCN-R.
        #[serde(rename = "hmcn-r")]
        HmcnR = "hmcn-r",
        /// A network with two outputs per class of a hierarchy, one that affirms and one that
        /// denies it: DHN.
        Dhn = "dhn",
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

    /// Whether it can be trained on a GPU.
    pub fn trains_on_gpu(self) -> bool {
        self.is_network() || matches!(self, Self::Dhn | Self::HmcnF | Self::HmcnR)
    }

    /// Whether it is trained epoch by epoch, and may stop early.
    pub fn has_epochs(self) -> bool {
        self.learner_settings().is_none_or(|settings| settings.has_epochs())
    }

    /// The settings that it has by itself; `None` for a network.
    pub fn learner_settings(self) -> Option<LearnerSettings> {
        match self {
            Self::Ccn | Self::Cm | Self::Post | Self::None | Self::Complement => None,
            Self::Prior => Some(LearnerSettings::Prior(PriorSettings::default())),
            Self::Br => Some(LearnerSettings::Logistic(LogisticSettings::default())),
            Self::Cc => Some(LearnerSettings::Chains(ChainSettings::single())),
            Self::Ecc => Some(LearnerSettings::Chains(ChainSettings::default())),
            Self::Rakel => Some(LearnerSettings::Labelsets(LabelsetSettings::default())),
            Self::RakelD => Some(LearnerSettings::Labelsets(LabelsetSettings::partition())),
            Self::Camel => Some(LearnerSettings::Camel(CamelSettings::default())),
            Self::Clus => Some(LearnerSettings::Clus(ClusSettings::default())),
            Self::Forest => Some(LearnerSettings::Forest(ForestSettings::default())),
            Self::Lmlp => Some(LearnerSettings::Lmlp(LmlpSettings::default())),
            Self::HmcnF => Some(LearnerSettings::HmcnF(LevelNetworkSettings::default())),
            Self::HmcnR => Some(LearnerSettings::HmcnR(LevelNetworkSettings::default())),
            Self::Dhn => Some(LearnerSettings::Dhn(TwoWaySettings::default())),
        }
    }
}
