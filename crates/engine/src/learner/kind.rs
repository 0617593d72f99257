//! A fitted learner of any kind.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use super::epochs::{EpochsOfMember, MemberPlan};
use super::fit::FitTask;
use super::fitted::{Fitted, counted};
use super::named_tensors::NamedTensors;
use super::registry::methods;
use super::rows::{FitError, FitRows};
use super::settings::LearnerSettings;
use crate::network::Network;

/// A fitted learner, with all its members: those of an ensemble of one kind. A forest or a set of chains is
/// one member: its trees and chains are fitted to the labels, none leaves a class to the rules.
#[derive(Clone, PartialEq, Debug)]
pub enum Learner {
    /// Networks.
    Networks(Vec<Network>),
    /// Members of one kind in the [registry](super::methods).
    Members(Members),
}

/// Members of one kind; at least one.
#[derive(Clone, Debug)]
pub struct Members {
    /// The section of a model file with their arrays.
    section: &'static str,
    /// Whether members of other seeds can be among them, so that their arrays are numbered.
    are_several: bool,
    members: Vec<Arc<dyn Fitted>>,
}

impl Members {
    /// These members that were fitted with such settings.
    pub(crate) fn new(settings: &LearnerSettings, members: Vec<Arc<dyn Fitted>>) -> Self {
        let (section, _) = settings.section();
        Self { section, are_several: settings.abilities().has_epochs, members }
    }

    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Arc<dyn Fitted>> {
        self.members.iter()
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        let are_same = |(one, other): (&Arc<dyn Fitted>, &Arc<dyn Fitted>)| one.is_same(&**other);
        self.members.len() == other.members.len() && self.iter().zip(other.iter()).all(are_same)
    }
}

impl Learner {
    /// Fits the members of a learner; each is the same as if it were the only one.
    ///
    /// # Errors
    /// [`FitError`] of any member.
    ///
    /// # Panics
    /// If a plan searches without validation rows.
    pub fn fit(
        settings: &LearnerSettings,
        rows: &FitRows<'_>,
        valid: Option<&FitRows<'_>>,
        members: &[MemberPlan<'_>],
    ) -> Result<(Self, Vec<EpochsOfMember>), FitError> {
        let fitted = members
            .par_iter()
            .map(|&(seed, plan, watch)| settings.fit(&FitTask { rows, valid, seed, plan, watch }));
        let fitted = fitted.collect::<Result<Vec<_>, _>>()?;
        let records = fitted.iter().map(|of| of.record()).collect();
        let members = fitted.into_iter().map(|of| of.learner).collect();
        Ok((Self::Members(Members::new(settings, members)), records))
    }

    /// The name of its kind, which is also that of its section in a model file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Networks(_) => "network",
            Self::Members(of) => of.section,
        }
    }

    /// The networks; empty for another kind.
    pub fn networks(&self) -> &[Network] {
        match self {
            Self::Networks(networks) => networks,
            Self::Members(_) => &[],
        }
    }

    /// How many members it has.
    pub fn members(&self) -> usize {
        match self {
            Self::Networks(members) => members.len(),
            Self::Members(of) => of.members.len(),
        }
    }

    /// Whether members of other seeds can be added to it.
    pub fn is_mergeable(&self) -> bool {
        match self {
            Self::Networks(_) => true,
            Self::Members(of) => of.are_several,
        }
    }

    /// Adds the members of another learner of the same kind; one of another kind is ignored.
    pub(crate) fn extend(&mut self, other: Self) {
        match (self, other) {
            (Self::Networks(all), Self::Networks(other)) => all.extend(other),
            (Self::Members(all), Self::Members(other)) => all.members.extend(other.members),
            _ => {}
        }
    }

    /// Puts the members into this order.
    pub(crate) fn reorder(&mut self, order: &[usize]) {
        fn reorder<T: Clone>(all: &mut Vec<T>, order: &[usize]) {
            *all = order.iter().map(|&at| all[at].clone()).collect();
        }
        match self {
            Self::Networks(all) => reorder(all, order),
            Self::Members(all) => reorder(&mut all.members, order),
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
            Self::Members(of) => {
                let member = |member: &Arc<dyn Fitted>| {
                    let mut logits = fresh(member.classes());
                    member.logits(inputs, &mut logits);
                    logits
                };
                match &of.members[..] {
                    [one] => vec![member(one)],
                    several => several.par_iter().map(member).collect(),
                }
            }
        }
    }

    /// The number of numbers that were learned.
    pub fn parameters(&self) -> usize {
        match self {
            Self::Networks(networks) => networks.iter().map(|of| of.shape().parameters()).sum(),
            Self::Members(of) => of.iter().map(|of| of.parameters()).sum(),
        }
    }

    /// Its tensors; those of networks are written layer by layer and are not among them.
    pub fn tensors(&self) -> NamedTensors {
        match self {
            Self::Networks(_) => NamedTensors::new(),
            Self::Members(of) if of.are_several => {
                NamedTensors::of_members(of.iter().map(|member| member.tensors()))
            }
            Self::Members(of) => of.members[0].tensors(),
        }
    }

    /// A learner of this kind from its tensors; `None` for a kind that is not known here.
    pub fn from_tensors(
        kind: &str,
        tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Option<Result<Self, String>> {
        let mut known = methods().iter().map(|method| (method.settings)());
        let settings = known.find(|settings| settings.section().0 == kind)?;
        let members = match settings.abilities().has_epochs {
            true => tensors.into_members(),
            false => Ok(vec![tensors]),
        };
        let restore = |tensors| settings.restore(tensors, inputs, classes);
        let restored = members.and_then(|all| all.into_iter().map(restore).collect());
        Some(restored.map(|members| Self::Members(Members::new(&settings, members))))
    }
}

impl fmt::Display for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Networks(networks) => match &networks[..] {
                [] => write!(f, "no network"),
                [first, ..] => {
                    write!(f, "{} ({})", counted(networks.len(), "network"), first.shape())
                }
            },
            Self::Members(of) => f.write_str(&of.members[0].describe(of.members.len())),
        }
    }
}
