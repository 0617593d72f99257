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
#[derive(Clone, Debug)]
pub enum Learner {
    /// Networks.
    Networks(Vec<Network>),
    /// Members of one kind in the [registry](super::methods); at least one.
    Members(Vec<Arc<dyn Fitted>>),
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
        Ok((Self::Members(fitted.into_iter().map(|of| of.learner).collect()), records))
    }

    /// The name of its kind, which is also that of its section in a model file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Networks(_) => "network",
            Self::Members(members) => members[0].kind(),
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
            Self::Members(members) => members.len(),
        }
    }

    /// Whether members of other seeds can be added to it.
    pub fn is_mergeable(&self) -> bool {
        match self {
            Self::Networks(_) => true,
            Self::Members(members) => members[0].is_member(),
        }
    }

    /// Adds the members of another learner of the same kind; one of another kind is ignored.
    pub(crate) fn extend(&mut self, other: Self) {
        match (self, other) {
            (Self::Networks(all), Self::Networks(other)) => all.extend(other),
            (Self::Members(all), Self::Members(other)) => all.extend(other),
            _ => {}
        }
    }

    /// The same members in this order.
    #[must_use]
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        match self {
            Self::Networks(all) => {
                Self::Networks(order.iter().map(|&at| all[at].clone()).collect())
            }
            Self::Members(all) => Self::Members(order.iter().map(|&at| all[at].clone()).collect()),
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
            Self::Members(members) => {
                let member = |member: &Arc<dyn Fitted>| {
                    let mut logits = fresh(member.classes());
                    member.logits(inputs, &mut logits);
                    logits
                };
                match &members[..] {
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
            Self::Members(members) => members.iter().map(|of| of.parameters()).sum(),
        }
    }

    /// Its tensors; those of networks are written layer by layer and are not among them.
    pub fn tensors(&self) -> NamedTensors {
        match self {
            Self::Networks(_) => NamedTensors::new(),
            Self::Members(members) if members[0].is_member() => {
                NamedTensors::of_members(members.iter().map(|member| member.tensors()))
            }
            Self::Members(members) => members[0].tensors(),
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
        let members = match settings.has_epochs() {
            true => tensors.into_members(),
            false => Ok(vec![tensors]),
        };
        let restore = |tensors| settings.restore(tensors, inputs, classes);
        let restored = members.and_then(|all| all.into_iter().map(restore).collect());
        Some(restored.map(Self::Members))
    }
}

impl<L: Fitted> FromIterator<L> for Learner {
    fn from_iter<I: IntoIterator<Item = L>>(members: I) -> Self {
        Self::Members(members.into_iter().map(|member| Arc::new(member) as _).collect())
    }
}

impl PartialEq for Learner {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Networks(all), Self::Networks(other)) => all == other,
            (Self::Members(all), Self::Members(other)) => {
                all.len() == other.len() && all.iter().zip(other).all(|(a, b)| a.is_same(&**b))
            }
            _ => false,
        }
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
            Self::Members(members) => f.write_str(&members[0].describe(members.len())),
        }
    }
}
