//! Training level networks on a GPU: all members at once.

use std::sync::Arc;

use super::error::TrainError;
use super::members_on_gpu::{FittedOnGpu, MemberProgress, MembersOnGpu, train_members};
use crate::cuda::{Gpu, LevelFleet, LevelFleetTask};
use crate::learner::{
    EpochPlan, FitError, FitRows, LevelNetworkSettings, LevelProblem, MemberPlan, Watch,
};

/// Trains the members as their plans say; see [`Learner::fit`](crate::learner::Learner::fit).
///
/// # Panics
/// If a plan searches and there are no validation rows.
pub(crate) fn fit_level_networks(
    gpu: &Gpu,
    settings: &LevelNetworkSettings,
    rows: &FitRows<'_>,
    valid: Option<&FitRows<'_>>,
    members: &[MemberPlan<'_>],
) -> Result<FittedOnGpu, TrainError> {
    let problem = LevelProblem::new(rows, settings)?;
    let seeds: Vec<u64> = members.iter().map(|(seed, ..)| *seed).collect();
    let searches = members.iter().any(|(_, plan, _)| matches!(plan, EpochPlan::Search { .. }));
    let task = LevelFleetTask {
        problem: &problem,
        settings,
        rows,
        valid: valid.filter(|_| searches),
        seeds: &seeds,
        keeps_best: searches,
    };
    let mut fleet = LevelFleet::new(gpu, &task)?;
    for (slot, &seed) in seeds.iter().enumerate() {
        fleet.put(slot, &problem.wiring().random(seed))?;
    }
    let mut trained = LevelNetworks { fleet, method: settings.wiring.method() };
    let progress = train_members(&mut trained, members, valid)?;
    let mut learners = Vec::new();
    for (slot, member) in progress.iter().enumerate() {
        let layers = trained.fleet.take(slot, member.has_best())?;
        learners.push(Arc::new(problem.learner(layers)) as _);
    }
    let records = progress.iter().map(MemberProgress::record).collect();
    Ok((learners, records))
}

/// Level networks on a GPU.
struct LevelNetworks<'a> {
    fleet: LevelFleet<'a>,
    method: &'static str,
}

impl MembersOnGpu for LevelNetworks<'_> {
    fn epoch(
        &mut self,
        slots: &[usize],
        epoch: usize,
        watch: &Watch<'_>,
    ) -> Result<Vec<f64>, TrainError> {
        self.fleet.begin_epoch(slots, epoch as u32)?;
        for step in 0..self.fleet.steps() {
            watch.go_on()?;
            self.fleet.step(epoch as u32, step)?;
        }
        let mut losses = Vec::new();
        for &slot in slots {
            let loss = self.fleet.loss_of_epoch(slot)?;
            if !loss.is_finite() {
                let what = format!("in epoch {}", epoch + 1);
                return Err(FitError::Diverged { method: self.method, what }.into());
            }
            losses.push(loss);
        }
        Ok(losses)
    }

    fn logits(&mut self, _: &[usize]) -> Result<Vec<Vec<f32>>, TrainError> {
        Ok(self.fleet.logits()?)
    }

    fn keep(&mut self, slot: usize) -> Result<(), TrainError> {
        Ok(self.fleet.keep(slot)?)
    }
}
