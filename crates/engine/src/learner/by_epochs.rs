//! Learners that are trained by epochs: several members, each with its own number of epochs.

use rayon::prelude::*;

use super::epochs::{EpochPlan, FittedByEpochs};
use super::kind::Learner;
use super::level_network::{LevelNetwork, LevelWiring};
use super::lmlp::Lmlp;
use super::rows::{FitError, FitRows};
use super::settings::LearnerSettings;
use super::two_way::TwoWay;
use super::watch::Watch;

/// How a member was trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EpochsOfMember {
    /// Its epochs.
    pub epochs: usize,
    /// The mean loss of its last epoch.
    pub loss: f64,
    /// The AU(PRC) of the validation rows, if there were any.
    pub best: Option<f64>,
}

/// A member to train: its seed, how long, and who watches it.
pub type MemberPlan<'a> = (u64, EpochPlan, Watch<'a>);

impl Learner {
    /// Trains the members of a learner that is trained by epochs; each is the same as if it were
    /// the only one.
    ///
    /// # Errors
    /// [`FitError`] of any member.
    ///
    /// # Panics
    /// If the learner is not trained by epochs, or a plan searches without validation rows.
    pub fn fit_by_epochs(
        settings: &LearnerSettings,
        rows: &FitRows<'_>,
        valid: Option<&FitRows<'_>>,
        members: &[MemberPlan<'_>],
    ) -> Result<(Self, Vec<EpochsOfMember>), FitError> {
        let levels = |wiring, settings| {
            let fit = |&(seed, plan, watch): &MemberPlan<'_>| {
                LevelNetwork::fit(wiring, rows, valid, settings, plan, seed, &watch)
            };
            fit_all(members, fit, Self::LevelNetworks)
        };
        match settings {
            LearnerSettings::HmcnF(settings) => levels(LevelWiring::FeedForward, settings),
            LearnerSettings::HmcnR(settings) => levels(LevelWiring::Recurrent, settings),
            LearnerSettings::Lmlp(settings) => {
                let fit = |&(seed, plan, watch): &MemberPlan<'_>| {
                    Lmlp::fit(rows, valid, settings, plan, seed, &watch)
                };
                fit_all(members, fit, Self::Lmlps)
            }
            LearnerSettings::Dhn(settings) => {
                let fit = |&(seed, plan, watch): &MemberPlan<'_>| {
                    TwoWay::fit(rows, valid, settings, plan, seed, &watch)
                };
                fit_all(members, fit, Self::TwoWays)
            }
            _ => panic!("not trained by epochs"),
        }
    }
}

fn fit_all<X: Send>(
    members: &[MemberPlan<'_>],
    fit: impl Fn(&MemberPlan<'_>) -> Result<FittedByEpochs<X>, FitError> + Sync,
    learner: impl Fn(Vec<X>) -> Learner,
) -> Result<(Learner, Vec<EpochsOfMember>), FitError> {
    let fitted: Vec<FittedByEpochs<X>> = members.par_iter().map(&fit).collect::<Result<_, _>>()?;
    let record =
        |of: &FittedByEpochs<X>| EpochsOfMember { epochs: of.epochs, loss: of.loss, best: of.best };
    let records = fitted.iter().map(record).collect();
    Ok((learner(fitted.into_iter().map(|of| of.learner).collect()), records))
}
