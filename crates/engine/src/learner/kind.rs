//! A fitted learner of any kind.

use rayon::prelude::*;

use super::camel::Camel;
use super::chain::Chains;
use super::clus::Clus;
use super::forest::Forest;
use super::labelset::Labelsets;
use super::logistic::LogisticSet;
use super::named_tensors::NamedTensors;
use super::prior::Prior;
use super::rows::{FitError, FitRows};
use super::settings::LearnerSettings;
use super::watch::Watch;
use crate::network::Network;

/// A fitted learner, with all its members: those of an ensemble of one kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Learner {
    /// Networks whose logits are averaged.
    Networks(Vec<Network>),
    /// Class frequencies.
    Prior(Prior),
    /// One logistic regression per class.
    Logistic(LogisticSet),
    /// Classifier chains.
    Chains(Chains),
    /// Label sets.
    Labelsets(Labelsets),
    /// CAMEL.
    Camel(Camel),
    /// Predictive clustering trees.
    Clus(Clus),
    /// A forest.
    Forest(Forest),
}

impl Learner {
    /// Fits a learner that needs no validation rows.
    ///
    /// # Errors
    /// [`FitError`].
    pub fn fit(
        settings: &LearnerSettings,
        rows: &FitRows<'_>,
        seed: u64,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        match settings {
            LearnerSettings::Prior(settings) => Prior::fit(rows, settings, watch).map(Self::Prior),
            LearnerSettings::Logistic(settings) => {
                LogisticSet::fit(rows, settings, watch).map(Self::Logistic)
            }
            LearnerSettings::Chains(settings) => {
                Chains::fit(rows, settings, seed, watch).map(Self::Chains)
            }
            LearnerSettings::Labelsets(settings) => {
                Labelsets::fit(rows, settings, seed, watch).map(Self::Labelsets)
            }
            LearnerSettings::Camel(settings) => Camel::fit(rows, settings, watch).map(Self::Camel),
            LearnerSettings::Clus(settings) => {
                Clus::fit(rows, settings, seed, watch).map(Self::Clus)
            }
            LearnerSettings::Forest(settings) => {
                Forest::fit(rows, settings, seed, watch).map(Self::Forest)
            }
        }
    }

    /// The name of its kind, which is also that of its section in a model file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Networks(_) => "network",
            Self::Prior(_) => "prior",
            Self::Logistic(_) => "logistic",
            Self::Chains(_) => "chains",
            Self::Labelsets(_) => "labelsets",
            Self::Camel(_) => "camel",
            Self::Clus(_) => "clus",
            Self::Forest(_) => "forest",
        }
    }

    /// The networks; empty for another kind.
    pub fn networks(&self) -> &[Network] {
        match self {
            Self::Networks(networks) => networks,
            _ => &[],
        }
    }

    /// The logits of each member for encoded rows: what an ensemble is the mean of.
    pub fn member_logits(&self, inputs: &[f32], rows: usize) -> Vec<Vec<f32>> {
        let fresh = |classes: usize| vec![f32::NAN; rows * classes];
        match self {
            Self::Networks(networks) => {
                let member = |network: &Network| {
                    let mut logits = fresh(network.shape().outputs);
                    network.forward_pass().logits(inputs, &mut logits);
                    logits
                };
                networks.par_iter().map(member).collect()
            }
            Self::Prior(prior) => {
                let mut logits = fresh(prior.classes());
                prior.logits(&mut logits);
                vec![logits]
            }
            Self::Logistic(set) => {
                let mut logits = fresh(set.classes());
                set.logits(inputs, &mut logits);
                vec![logits]
            }
            Self::Chains(chains) => {
                let mut logits = fresh(chains.classes());
                chains.logits(inputs, &mut logits);
                vec![logits]
            }
            Self::Labelsets(sets) => {
                let mut logits = fresh(sets.classes());
                sets.logits(inputs, &mut logits);
                vec![logits]
            }
            Self::Camel(camel) => {
                let mut logits = fresh(camel.classes());
                camel.logits(inputs, &mut logits);
                vec![logits]
            }
            Self::Clus(clus) => {
                let mut logits = fresh(clus.classes());
                clus.logits(inputs, &mut logits);
                vec![logits]
            }
            Self::Forest(forest) => {
                let mut logits = fresh(forest.classes());
                forest.logits(inputs, &mut logits);
                vec![logits]
            }
        }
    }

    /// The number of numbers that were learned.
    pub fn parameters(&self) -> usize {
        match self {
            Self::Networks(networks) => networks.iter().map(|of| of.shape().parameters()).sum(),
            Self::Prior(prior) => prior.classes(),
            Self::Logistic(set) => set.parameters(),
            Self::Chains(chains) => chains.parameters(),
            Self::Labelsets(sets) => sets.parameters(),
            Self::Camel(camel) => camel.parameters(),
            Self::Clus(clus) => clus.parameters(),
            Self::Forest(forest) => forest.parameters(),
        }
    }

    /// Its tensors; those of networks are written layer by layer and are not among them.
    pub fn tensors(&self) -> NamedTensors {
        match self {
            Self::Networks(_) => NamedTensors::new(),
            Self::Prior(prior) => prior.tensors(),
            Self::Logistic(set) => set.tensors(),
            Self::Chains(chains) => chains.tensors(),
            Self::Labelsets(sets) => sets.tensors(),
            Self::Camel(camel) => camel.tensors(),
            Self::Clus(clus) => clus.tensors(),
            Self::Forest(forest) => forest.tensors(),
        }
    }

    /// A learner of this kind from its tensors; `None` for a kind that is not known here.
    pub fn from_tensors(
        kind: &str,
        tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Option<Result<Self, String>> {
        match kind {
            "prior" => Some(Prior::from_tensors(tensors, inputs, classes).map(Self::Prior)),
            "logistic" => {
                Some(LogisticSet::from_tensors(tensors, inputs, classes).map(Self::Logistic))
            }
            "chains" => Some(Chains::from_tensors(tensors, inputs, classes).map(Self::Chains)),
            "labelsets" => {
                Some(Labelsets::from_tensors(tensors, inputs, classes).map(Self::Labelsets))
            }
            "camel" => Some(Camel::from_tensors(tensors, inputs, classes).map(Self::Camel)),
            "clus" => Some(Clus::from_tensors(tensors, inputs, classes).map(Self::Clus)),
            "forest" => Some(Forest::from_tensors(tensors, inputs, classes).map(Self::Forest)),
            _ => None,
        }
    }

    /// The kinds that have tensors, with the latest version of their sections.
    pub const SECTIONS: [(&'static str, u32); 7] = [
        ("prior", 1),
        ("logistic", 1),
        ("chains", 1),
        ("labelsets", 1),
        ("camel", 1),
        ("clus", 1),
        ("forest", 1),
    ];
}

impl std::fmt::Display for Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Networks(networks) => match &networks[..] {
                [] => write!(f, "no network"),
                [one] => write!(f, "a network ({})", one.shape()),
                [first, ..] => write!(f, "{} networks ({})", networks.len(), first.shape()),
            },
            Self::Prior(_) => write!(f, "class frequencies"),
            Self::Logistic(_) => write!(f, "a logistic regression for each class"),
            Self::Chains(chains) => match chains.chains() {
                1 => write!(f, "a chain of logistic regressions"),
                several => write!(f, "{several} chains of logistic regressions"),
            },
            Self::Labelsets(sets) => match sets.label_sets().count() {
                1 => write!(f, "a label set"),
                several => write!(f, "{several} label sets"),
            },
            Self::Camel(camel) => write!(f, "a kernel machine over {} rows", camel.rows()),
            Self::Clus(clus) => match clus.trees() {
                1 => write!(f, "a predictive clustering tree"),
                trees => write!(f, "{trees} predictive clustering trees"),
            },
            Self::Forest(forest) => write!(f, "a forest of {} trees", forest.trees()),
        }
    }
}
