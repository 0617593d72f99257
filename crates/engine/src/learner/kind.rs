//! A fitted learner of any kind.

use rayon::prelude::*;

use super::camel::Camel;
use super::chain::Chains;
use super::clus::Clus;
use super::forest::Forest;
use super::labelset::Labelsets;
use super::level_network::LevelNetwork;
use super::lmlp::Lmlp;
use super::logistic::LogisticSet;
use super::named_tensors::NamedTensors;
use super::prior::Prior;
use super::rows::{FitError, FitRows};
use super::settings::LearnerSettings;
use super::two_way::TwoWay;
use super::watch::Watch;
use crate::network::Network;

/// A fitted learner, with all its members: those of an ensemble of one kind. A forest or a set of chains is
/// one member: its trees and chains are fitted to the labels, none leaves a class to the rules.
#[derive(Clone, PartialEq, Debug)]
pub enum Learner {
    /// Networks.
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
    /// Local perceptrons: HMC-LMLP.
    Lmlps(Vec<Lmlp>),
    /// Level networks: HMCN-F and HMCN-R.
    LevelNetworks(Vec<LevelNetwork>),
    /// Two-way networks: DHN.
    TwoWays(Vec<TwoWay>),
}

impl Learner {
    /// Fits a learner that needs no validation rows.
    ///
    /// # Errors
    /// [`FitError`].
    ///
    /// # Panics
    /// If the learner is trained by epochs; see [`fit_by_epochs`](Self::fit_by_epochs).
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
            LearnerSettings::Lmlp(_)
            | LearnerSettings::HmcnF(_)
            | LearnerSettings::HmcnR(_)
            | LearnerSettings::Dhn(_) => unreachable!("trained by epochs"),
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
            Self::Lmlps(_) => "lmlp",
            Self::LevelNetworks(_) => "level-network",
            Self::TwoWays(_) => "two-way",
        }
    }

    /// The networks; empty for another kind.
    pub fn networks(&self) -> &[Network] {
        match self {
            Self::Networks(networks) => networks,
            _ => &[],
        }
    }

    /// How many members it has.
    pub fn members(&self) -> usize {
        match self {
            Self::Networks(members) => members.len(),
            Self::Lmlps(members) => members.len(),
            Self::LevelNetworks(members) => members.len(),
            Self::TwoWays(members) => members.len(),
            Self::Prior(_)
            | Self::Logistic(_)
            | Self::Chains(_)
            | Self::Labelsets(_)
            | Self::Camel(_)
            | Self::Clus(_)
            | Self::Forest(_) => 1,
        }
    }

    /// The logits of each member for encoded rows, before any rule.
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
            Self::Lmlps(members) => each(members, rows, |member| {
                (member.classes(), move |logits: &mut [f32]| member.logits(inputs, logits))
            }),
            Self::LevelNetworks(members) => each(members, rows, |member| {
                (member.classes(), move |logits: &mut [f32]| member.logits(inputs, logits))
            }),
            Self::TwoWays(members) => each(members, rows, |member| {
                (member.classes(), move |logits: &mut [f32]| member.logits(inputs, logits))
            }),
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
            Self::Lmlps(members) => members.iter().map(Lmlp::parameters).sum(),
            Self::LevelNetworks(members) => members.iter().map(LevelNetwork::parameters).sum(),
            Self::TwoWays(of) => of.iter().map(|of| of.network().shape().parameters()).sum(),
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
            Self::Lmlps(members) => NamedTensors::of_members(members.iter().map(Lmlp::tensors)),
            Self::LevelNetworks(members) => {
                NamedTensors::of_members(members.iter().map(LevelNetwork::tensors))
            }
            Self::TwoWays(members) => NamedTensors::of_members(members.iter().map(TwoWay::tensors)),
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
            "lmlp" => {
                let member = |tensors| Lmlp::from_tensors(tensors, inputs, classes);
                Some(members(tensors, member).map(Self::Lmlps))
            }
            "level-network" => {
                let member = |tensors| LevelNetwork::from_tensors(tensors, inputs, classes);
                Some(members(tensors, member).map(Self::LevelNetworks))
            }
            "two-way" => {
                let member = |tensors| TwoWay::from_tensors(tensors, inputs, classes);
                Some(members(tensors, member).map(Self::TwoWays))
            }
            _ => None,
        }
    }

    /// The kinds that have tensors, with the latest version of their sections.
    pub const SECTIONS: [(&'static str, u32); 10] = [
        ("prior", 1),
        ("logistic", 1),
        ("chains", 1),
        ("labelsets", 1),
        ("camel", 1),
        ("clus", 1),
        ("forest", 1),
        ("lmlp", 1),
        ("level-network", 1),
        ("two-way", 1),
    ];
}

/// The logits of each member.
fn each<'m, X: Sync, F: Fn(&mut [f32])>(
    members: &'m [X],
    rows: usize,
    of: impl Fn(&'m X) -> (usize, F) + Sync,
) -> Vec<Vec<f32>> {
    let member = |member: &'m X| {
        let (classes, compute) = of(member);
        let mut logits = vec![f32::NAN; rows * classes];
        compute(&mut logits);
        logits
    };
    members.par_iter().map(member).collect()
}

/// All members from their tensors.
fn members<X>(
    tensors: NamedTensors,
    member: impl Fn(NamedTensors) -> Result<X, String>,
) -> Result<Vec<X>, String> {
    tensors.into_members()?.into_iter().map(member).collect()
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
            Self::Lmlps(of) => counted(f, of.len(), "set", "of local perceptrons"),
            Self::LevelNetworks(of) => counted(f, of.len(), "level network", ""),
            Self::TwoWays(of) => counted(f, of.len(), "two-way network", ""),
        }
    }
}

/// `a NOUN REST` or `N NOUNs REST`.
fn counted(
    f: &mut std::fmt::Formatter<'_>,
    count: usize,
    noun: &str,
    rest: &str,
) -> std::fmt::Result {
    match count {
        1 => write!(f, "a {noun}")?,
        _ => write!(f, "{count} {noun}s")?,
    }
    if rest.is_empty() { Ok(()) } else { write!(f, " {rest}") }
}
