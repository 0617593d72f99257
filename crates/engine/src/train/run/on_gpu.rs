//! A phase on a GPU: all members in parallel.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rulebound_core::Program;

use super::member::{Member, Task};
use crate::cuda::{Fleet, FleetTask, Gpu};
use crate::network::Shape;
use crate::train::error::TrainError;
use crate::train::objective::ObjectiveSpace;
use crate::train::state::checkpoint::State;
use crate::train::weights::TermWeights;

/// How many steps run between two checks for an interruption: about a tenth of a second's worth.
struct Pace {
    steps: usize,
    /// Steps per epoch, beyond which no run of steps continues.
    most: usize,
}

impl Pace {
    const TIME: Duration = Duration::from_millis(100);

    fn new(most: usize) -> Self {
        Self { steps: 32.min(most), most }
    }

    /// Adapts to how long the last run of steps took.
    fn took(&mut self, time: Duration) {
        if time < Self::TIME / 2 {
            self.steps = (self.steps * 2).min(self.most);
        } else if time > Self::TIME * 2 {
            self.steps = (self.steps / 2).max(1);
        }
    }
}

/// Members being trained on a GPU.
pub(in crate::train) struct OnGpu<'a> {
    fleet: Fleet<'a>,
    spaces: Vec<ObjectiveSpace>,
    /// The epoch that is prepared, and for which slots.
    prepared: Option<(usize, Vec<usize>)>,
    pace: Pace,
}

impl<'a> OnGpu<'a> {
    /// Copies the members to the GPU.
    pub fn new(
        gpu: &'a Gpu,
        task: &Task<'_>,
        shape: &Shape,
        program: &Program,
        evaluated: &[bool],
        members: &[Member],
    ) -> Result<Self, TrainError> {
        let seeds: Vec<u64> = members.iter().map(|member| member.seed).collect();
        let fleet_task = FleetTask {
            shape,
            configuration: task.configuration,
            program,
            evaluated,
            weights: task.weights.map(TermWeights::parts),
            examples: task.train,
            seeds: &seeds,
            keeps_best: task.early.is_some(),
        };
        let mut fleet = Fleet::new(gpu, &fleet_task)?;
        for (slot, member) in members.iter().enumerate() {
            fleet.put(slot, &member.trainee, member.best.as_ref())?;
        }
        let spaces = members.iter().map(|_| task.objective.workspace()).collect();
        let pace = Pace::new(fleet.steps());
        Ok(Self { fleet, spaces, prepared: None, pace })
    }

    /// Trains for `time`, or until all members are done or the run is stopped.
    pub fn train(
        &mut self,
        task: &Task<'_>,
        members: &mut [Member],
        time: Duration,
    ) -> Result<(), TrainError> {
        let start = Instant::now();
        while members.iter().any(|member| !member.progress.is_done) {
            if task.stop.load(Ordering::Relaxed) || start.elapsed() > time {
                return Ok(());
            }
            self.steps_of_furthest_behind(task, members)?;
        }
        Ok(())
    }

    /// Takes steps with the members that are furthest behind, together.
    fn steps_of_furthest_behind(
        &mut self,
        task: &Task<'_>,
        members: &mut [Member],
    ) -> Result<(), TrainError> {
        let since = Instant::now();
        let steps = self.fleet.steps();
        let done = |member: &Member| member.progress.epoch * steps + member.progress.step;
        let open = || members.iter().enumerate().filter(|(_, member)| !member.progress.is_done);
        let least = open().map(|(_, member)| done(member)).min().unwrap_or(0);
        let slots: Vec<usize> =
            open().filter(|(_, m)| done(m) == least).map(|(slot, _)| slot).collect();
        let next = open().map(|(_, member)| done(member)).filter(|&done| done > least).min();
        let (epoch, step) = (least / steps, least % steps);
        let until = next.map_or(steps, |next| steps.min(next - epoch * steps));
        let count = self.pace.steps.min(until - step);
        if self
            .prepared
            .as_ref()
            .is_none_or(|(ready, ready_slots)| *ready != epoch || *ready_slots != slots)
        {
            let before = members[slots[0]].progress.total_steps - step as u64;
            self.fleet.begin_epoch(&slots, epoch, before)?;
            self.prepared = Some((epoch, slots.clone()));
        }
        self.fleet.run(&slots, epoch, step, count)?;
        if let Some(slot) = self.fleet.diverged()? {
            let seed = members[slot].seed;
            return Err(TrainError::Diverged { seed, epoch: epoch + 1 });
        }
        self.pace.took(since.elapsed());
        for &slot in &slots {
            let losses = self.fleet.mean_losses(slot, step, count)?;
            let progress = &mut members[slot].progress;
            // As on the CPU: the mean of each step, weighted by its rows, one after another, so that it does
            // not count how many are taken at a time.
            for &(mean, rows) in &losses {
                progress.loss += mean * rows as f64;
            }
            progress.step += count;
            progress.total_steps += count as u64;
            task.observer.examples(losses.iter().map(|(_, rows)| rows).sum());
        }
        if step + count == steps {
            return self.finish_epoch(task, members, &slots, since);
        }
        for &slot in &slots {
            members[slot].progress.seconds += since.elapsed().as_secs_f64();
        }
        Ok(())
    }

    fn finish_epoch(
        &mut self,
        task: &Task<'_>,
        members: &mut [Member],
        slots: &[usize],
        since: Instant,
    ) -> Result<(), TrainError> {
        let mut logits: Vec<Option<Vec<f32>>> = members.iter().map(|_| None).collect();
        if let Some(valid) = task.valid {
            for &slot in slots {
                logits[slot] = Some(self.fleet.logits(slot, valid.examples.inputs())?);
            }
        }
        let all = members.par_iter_mut().zip(logits).zip(&mut self.spaces).enumerate();
        let best: Vec<bool> = all
            .map(|(slot, ((member, logits), space))| {
                let is_active = slots.contains(&slot);
                if is_active { member.finish_epoch(task, logits, space, since) } else { Ok(false) }
            })
            .collect::<Result<_, _>>()?;
        for slot in (0..best.len()).filter(|&slot| best[slot]) {
            self.fleet.keep(slot)?;
        }
        Ok(())
    }

    /// Copies the members back to the host.
    pub fn fetch(&self, state: &mut State) -> Result<(), TrainError> {
        for (slot, member) in state.members.iter_mut().enumerate() {
            member.trainee = self.fleet.take(slot)?;
            if member.progress.best.is_some() {
                member.best = self.fleet.kept(slot)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: a run of many short epochs doubled its steps until none were left.
    #[test]
    fn there_is_always_a_step_to_take() {
        let mut pace = Pace::new(619);
        for _ in 0..1000 {
            pace.took(Duration::from_millis(1));
            assert!((1..=619).contains(&pace.steps));
        }
        for _ in 0..1000 {
            pace.took(Duration::from_secs(1));
            assert!(pace.steps >= 1);
        }
        assert_eq!(pace.steps, 1);
        assert_eq!(Pace::new(3).steps, 3);
    }
}
