//! What a checkpoint must contain for a run to resume from it.
//!
//! Which states a run can be in follows from its configuration, its phase and the result of the
//! search. A file can contain anything; numbers that no run reaches would lead to panics, or to a
//! model other than the one the run would have made.

use super::record::{Phase, Progress, Searched};
use crate::configuration::{Configuration, EarlyStopping, Stopping};

/// The states that the members of a run can be in.
pub(in crate::train) struct Expected<'a> {
    configuration: &'a Configuration,
    /// The early stopping of this phase, if it monitors anything.
    early: Option<&'a EarlyStopping>,
    searched: Option<&'a [Searched]>,
    /// Steps per epoch.
    steps: usize,
}

impl<'a> Expected<'a> {
    /// What to expect in a phase; an error if the run has no such phase.
    pub fn new(
        configuration: &'a Configuration,
        phase: Phase,
        searched: Option<&'a [Searched]>,
        steps: usize,
    ) -> Result<Self, String> {
        let early = match (&configuration.stopping, phase, searched) {
            (Stopping::Epochs(_) | Stopping::EpochsOfEach(_), Phase::Final, None) => None,
            (Stopping::Early(early), Phase::Search, None) => Some(early),
            (Stopping::Early(early), Phase::Final, Some(searched)) if early.retrain => {
                let (found, members) = (searched.len(), configuration.members);
                if found != members {
                    return Err(format!("its search found {found} epochs for {members} members"));
                }
                let most = early.most.unwrap_or(usize::MAX);
                if searched.iter().any(|best| best.epoch == 0 || best.epoch > most) {
                    return Err("its search found an epoch that it cannot have reached".to_owned());
                }
                None
            }
            _ => return Err("its phase does not occur in the run".to_owned()),
        };
        Ok(Self { configuration, early, searched, steps })
    }

    /// Checks the state of a member; the error says what is impossible about it.
    pub fn check(
        &self,
        member: usize,
        seed: u64,
        progress: &Progress,
        has_best: bool,
    ) -> Result<(), String> {
        let Progress { epoch, step, total_steps, best, most, is_done, .. } = *progress;
        let expect = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
        expect(
            seed == self.configuration.member_seed(member),
            "its seed is not the one in the run",
        )?;
        let last = match (&self.configuration.stopping, self.searched) {
            (Stopping::Epochs(epochs), _) => Some(*epochs),
            (Stopping::EpochsOfEach(each), _) => each.get(member).copied(),
            (Stopping::Early(_), Some(searched)) => {
                searched.get(member).map(|searched| searched.epoch)
            }
            (Stopping::Early(early), None) => early.most,
        };
        expect(most == last, "its number of epochs is not the one in the run")?;
        expect(most.is_none_or(|most| epoch <= most), "it has more epochs than the run")?;
        expect(step <= self.steps, "it has more steps than an epoch")?;
        let before = (epoch as u64).checked_mul(self.steps as u64);
        let steps = before.and_then(|before| before.checked_add(step as u64));
        expect(steps == Some(total_steps), "its steps and epochs do not match")?;
        expect(has_best == best.is_some(), "its best network and best epoch do not match")?;
        let waited = match (self.early, best) {
            (Some(_), None) => {
                expect(epoch == 0, "it has epochs, but none of them is the best")?;
                false
            }
            (Some(early), Some((best, _))) => {
                expect((1..=epoch).contains(&best), "its best epoch is not one of its epochs")?;
                epoch - best >= early.patience
            }
            (None, best) => {
                expect(best.is_none(), "it has a best epoch, but nothing is monitored")?;
                false
            }
        };
        let ended = most.is_some_and(|most| epoch >= most) || waited;
        expect(is_done == ended, "its record of whether it is done is wrong")
    }
}
