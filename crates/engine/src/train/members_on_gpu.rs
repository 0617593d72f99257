//! Training members on a GPU, all at once, each as long as its plan says.

use std::sync::Arc;

use rayon::prelude::*;

use super::error::TrainError;
use crate::learner::{EpochPlan, EpochsOfMember, FitRows, Fitted, MemberPlan, Validation, Watch};

/// Members that were trained on a GPU, and how.
pub(crate) type FittedOnGpu = (Vec<Arc<dyn Fitted>>, Vec<EpochsOfMember>);

/// Members on a GPU. A slot is the index of a member.
pub(super) trait MembersOnGpu {
    /// Trains these slots for an epoch, numbered from 0; returns the mean loss of each.
    fn epoch(
        &mut self,
        slots: &[usize],
        epoch: usize,
        watch: &Watch<'_>,
    ) -> Result<Vec<f64>, TrainError>;

    /// The logits of the validation rows, for each slot of the last epoch.
    fn logits(&mut self, slots: &[usize]) -> Result<Vec<Vec<f32>>, TrainError>;

    /// Keeps the current network of a slot as its best.
    fn keep(&mut self, slot: usize) -> Result<(), TrainError>;
}

/// Trains all members; returns how far each came.
///
/// # Panics
/// If a plan searches and there are no validation rows.
pub(super) fn train_members(
    trained: &mut impl MembersOnGpu,
    members: &[MemberPlan<'_>],
    valid: Option<&FitRows<'_>>,
) -> Result<Vec<MemberProgress>, TrainError> {
    let mut progress: Vec<MemberProgress> =
        members.iter().map(|(_, plan, _)| MemberProgress::new(*plan)).collect();
    let searches = progress.iter().any(|member| member.patience.is_some());
    let validation = searches.then(|| match valid {
        Some(valid) => Validation::new(valid),
        None => panic!("a search needs validation rows"),
    });
    let mut epoch = 0;
    loop {
        let slots: Vec<usize> =
            (0..progress.len()).filter(|&slot| !progress[slot].is_done).collect();
        let Some(&first) = slots.first() else { break };
        let losses = trained.epoch(&slots, epoch, &members[first].2)?;
        let values: Vec<Option<f64>> = match &validation {
            Some(validation) => {
                let logits = trained.logits(&slots)?;
                let value = |logits: &Vec<f32>| validation.auprc(logits).unwrap_or(f64::NAN);
                logits.par_iter().map(|logits| Some(value(logits))).collect()
            }
            None => vec![None; slots.len()],
        };
        for ((&slot, loss), value) in slots.iter().zip(losses).zip(values) {
            if progress[slot].finish_epoch(epoch + 1, loss, value) {
                trained.keep(slot)?;
            }
            members[slot].2.done(epoch + 1, progress[slot].most)?;
        }
        epoch += 1;
    }
    Ok(progress)
}

/// The progress of a member.
pub(super) struct MemberProgress {
    most: usize,
    patience: Option<usize>,
    epochs: usize,
    last: f64,
    /// Epoch, AU(PRC) and loss of the best network.
    best: Option<(usize, f64, f64)>,
    is_done: bool,
}

impl MemberProgress {
    fn new(plan: EpochPlan) -> Self {
        let (most, patience) = match plan {
            EpochPlan::Exactly(epochs) => (epochs, None),
            EpochPlan::Search { patience, most } => (most, Some(patience)),
        };
        Self { most, patience, epochs: 0, last: f64::NAN, best: None, is_done: most == 0 }
    }

    /// Ends an epoch, numbered from 1, with its loss and the AU(PRC) of validation rows; returns
    /// whether it is the best so far.
    fn finish_epoch(&mut self, epoch: usize, loss: f64, value: Option<f64>) -> bool {
        (self.epochs, self.last) = (epoch, loss);
        let value = value.filter(|_| self.patience.is_some());
        let is_best = value.is_some_and(|value| self.best.is_none_or(|(_, best, _)| value > best));
        if let (true, Some(value)) = (is_best, value) {
            self.best = Some((epoch, value, self.last));
        }
        let kept = self.best.map_or(0, |(epoch, ..)| epoch);
        self.is_done =
            epoch >= self.most || self.patience.is_some_and(|patience| epoch - kept >= patience);
        is_best
    }

    /// Whether its best network was kept.
    pub fn has_best(&self) -> bool {
        self.best.is_some()
    }

    /// How it was trained.
    pub fn record(&self) -> EpochsOfMember {
        match self.best {
            Some((epochs, value, loss)) => EpochsOfMember { epochs, loss, best: Some(value) },
            None => EpochsOfMember { epochs: self.epochs, loss: self.last, best: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finish(plan: EpochPlan, values: &[f64]) -> (Vec<bool>, MemberProgress) {
        let mut progress = MemberProgress::new(plan);
        let mut kept = Vec::new();
        for (epoch, &value) in values.iter().enumerate() {
            assert!(!progress.is_done, "{epoch}");
            kept.push(progress.finish_epoch(epoch + 1, 10.0 - epoch as f64, Some(value)));
        }
        (kept, progress)
    }

    #[test]
    fn a_search_ends_after_its_patience_with_the_best() {
        let plan = EpochPlan::Search { patience: 2, most: 9 };
        let (kept, progress) = finish(plan, &[0.1, 0.3, 0.3, 0.2]);
        assert_eq!(kept, [true, true, false, false]);
        assert!(progress.is_done && progress.has_best());
        let expected = EpochsOfMember { epochs: 2, loss: 9.0, best: Some(0.3) };
        assert_eq!(progress.record(), expected);
        let (_, progress) = finish(EpochPlan::Search { patience: 5, most: 2 }, &[0.1, 0.2]);
        assert!(progress.is_done, "at most two epochs");
    }

    #[test]
    fn an_exact_plan_keeps_the_last() {
        let (kept, progress) = finish(EpochPlan::Exactly(3), &[0.3, 0.2, 0.1]);
        assert_eq!(kept, [false; 3]);
        assert!(progress.is_done);
        let expected = EpochsOfMember { epochs: 3, loss: 8.0, best: None };
        assert_eq!(progress.record(), expected);
        assert!(MemberProgress::new(EpochPlan::Exactly(0)).is_done);
    }
}
