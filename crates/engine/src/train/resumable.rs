//! What a checkpoint must say for a run to resume from it.
//!
//! Where a run may be is decided by its configuration, its phase and what the search found. A file
//! can say anything; numbers that no run reaches would become panics, or a model that is not the
//! one the run would have made.

use super::record::{Phase, Progress, Searched};
use crate::configuration::{Configuration, EarlyStopping, Stopping};

/// Where the members of a run can be.
pub(super) struct Expected<'a> {
    configuration: &'a Configuration,
    /// What is monitored in this phase.
    early: Option<&'a EarlyStopping>,
    searched: Option<&'a [Searched]>,
    /// Steps of an epoch.
    steps: usize,
}

impl<'a> Expected<'a> {
    /// What is expected in a phase, unless there is no such phase in the run.
    pub fn new(
        configuration: &'a Configuration,
        phase: Phase,
        searched: Option<&'a [Searched]>,
        steps: usize,
    ) -> Result<Self, String> {
        let early = match (&configuration.stopping, phase, searched) {
            (Stopping::Epochs(_), Phase::Final, None) => None,
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
            _ => return Err("its phase is not one of the run".to_owned()),
        };
        Ok(Self { configuration, early, searched, steps })
    }

    /// Says what cannot be in the state of a member.
    pub fn check(
        &self,
        member: usize,
        seed: u64,
        progress: &Progress,
        has_best: bool,
    ) -> Result<(), String> {
        let Progress { epoch, step, total_steps, best, most, is_done, .. } = *progress;
        let expect = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
        expect(seed == self.configuration.member_seed(member), "its seed is not of the run")?;
        let last = match (&self.configuration.stopping, self.searched) {
            (Stopping::Epochs(epochs), _) => Some(*epochs),
            (Stopping::Early(_), Some(searched)) => {
                searched.get(member).map(|searched| searched.epoch)
            }
            (Stopping::Early(early), None) => early.most,
        };
        expect(most == last, "its number of epochs is not that of the run")?;
        expect(most.is_none_or(|most| epoch <= most), "it has more epochs than the run")?;
        expect(step <= self.steps, "it has more steps than an epoch")?;
        let before = (epoch as u64).checked_mul(self.steps as u64);
        let steps = before.and_then(|before| before.checked_add(step as u64));
        expect(steps == Some(total_steps), "its steps and epochs differ")?;
        expect(has_best == best.is_some(), "its best network and best epoch differ")?;
        let waited = match (self.early, best) {
            (Some(_), None) => {
                expect(epoch == 0, "it has epochs, and none of them is the best")?;
                false
            }
            (Some(early), Some((best, _))) => {
                expect((1..=epoch).contains(&best), "its best epoch is not one of its epochs")?;
                epoch - best >= early.patience
            }
            (None, best) => {
                expect(best.is_none(), "it has a best epoch, and nothing is monitored")?;
                false
            }
        };
        let ended = most.is_some_and(|most| epoch >= most) || waited;
        expect(is_done == ended, "it says wrongly whether it is done")
    }
}
