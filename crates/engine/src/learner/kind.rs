//! A fitted learner of any kind.

use rayon::prelude::*;

use super::clus::Clus;
use super::forest::Forest;
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
            Self::Clus(_) => "clus",
            Self::Forest(_) => "forest",
        }
    }

    /// The networks; empty for another kind.
    pub fn networks(&self) -> &[Network] {
        match self {
            Self::Networks(networks) => networks,
            Self::Prior(_) | Self::Clus(_) | Self::Forest(_) => &[],
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
            Self::Clus(clus) => clus.parameters(),
            Self::Forest(forest) => forest.parameters(),
        }
    }

    /// Its tensors; those of networks are written layer by layer and are not among them.
    pub fn tensors(&self) -> NamedTensors {
        match self {
            Self::Networks(_) => NamedTensors::new(),
            Self::Prior(prior) => prior.tensors(),
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
            "clus" => Some(Clus::from_tensors(tensors, inputs, classes).map(Self::Clus)),
            "forest" => Some(Forest::from_tensors(tensors, inputs, classes).map(Self::Forest)),
            _ => None,
        }
    }

    /// The kinds that have tensors, with the latest version of their sections.
    pub const SECTIONS: [(&'static str, u32); 3] = [("prior", 1), ("clus", 1), ("forest", 1)];
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
            Self::Clus(clus) => match clus.trees() {
                1 => write!(f, "a predictive clustering tree"),
                trees => write!(f, "{trees} predictive clustering trees"),
            },
            Self::Forest(forest) => write!(f, "a forest of {} trees", forest.trees()),
        }
    }
}
