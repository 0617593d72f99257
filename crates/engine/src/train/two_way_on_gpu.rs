//! Training two-way networks on a GPU: all members at once, as networks of one program with twice
//! the classes.

use std::sync::Arc;

use rayon::prelude::*;

use super::error::TrainError;
use super::members_on_gpu::{FittedOnGpu, MemberProgress, MembersOnGpu, train_members};
use crate::configuration::Configuration;
use crate::cuda::{Fleet, FleetTask, FleetWeights, Gpu};
use crate::examples::Examples;
use crate::features::FeatureMatrix;
use crate::learner::{
    EpochPlan, FitError, FitRows, MemberPlan, TwoWayProblem, TwoWaySettings, Watch,
};
use crate::network::{Activation, Network, Shape, Trainee};

/// Steps between two looks at the stop flag.
const STEPS: usize = 256;

/// Trains the members as their plans say; see [`Learner::fit`](crate::learner::Learner::fit).
///
/// # Panics
/// If a plan searches and there are no validation rows.
pub(super) fn fit_two_ways(
    gpu: &Gpu,
    settings: &TwoWaySettings,
    rows: &FitRows<'_>,
    valid: Option<&FitRows<'_>>,
    members: &[MemberPlan<'_>],
) -> Result<FittedOnGpu, TrainError> {
    let problem = TwoWayProblem::new(rows, settings)?;
    let configuration = Configuration {
        hidden: settings.hidden.clone(),
        activation: Activation::Relu,
        dropout: settings.dropout,
        learning_rate: settings.learning_rate,
        weight_decay: settings.weight_decay,
        batch: settings.batch,
        members: members.len(),
        ..Configuration::default()
    };
    let outputs = 2 * rows.classes();
    let shape = Shape { inputs: rows.width(), hidden: settings.hidden.clone(), outputs };
    let labels = problem.labels(rows);
    let examples = Examples::from_parts(rows.inputs().to_vec(), rows.width(), labels);
    let seeds: Vec<u64> = members.iter().map(|(seed, ..)| *seed).collect();
    let task = FleetTask {
        shape: &shape,
        configuration: &configuration,
        program: problem.program(),
        evaluated: problem.evaluated(),
        weights: Some(FleetWeights {
            positive: problem.weights(),
            negative: problem.weights(),
            rows: None,
        }),
        examples: &examples,
        seeds: &seeds,
        keeps_best: members.iter().any(|(_, plan, _)| matches!(plan, EpochPlan::Search { .. })),
    };
    let mut fleet = Fleet::new(gpu, &task)?;
    for (slot, &seed) in seeds.iter().enumerate() {
        let network = Network::random(shape.clone(), Activation::Relu, seed);
        fleet.put(slot, &Trainee::new(network), None)?;
    }
    let valid_rows = valid.map(|valid| FeatureMatrix::Dense {
        cells: valid.inputs().to_vec().into(),
        width: valid.width(),
        rows: valid.rows(),
    });
    let terms = problem.evaluated().iter().filter(|&&is| is).count();
    let mut trained = TwoWays { fleet, problem, valid_rows, terms };
    let progress = train_members(&mut trained, members, valid)?;
    let TwoWays { fleet, problem, .. } = trained;
    let mut learners = Vec::new();
    for (slot, member) in progress.iter().enumerate() {
        let kept = if member.has_best() { fleet.kept(slot)? } else { None };
        let network = match kept {
            Some(network) => network,
            None => fleet.take(slot)?.network,
        };
        learners.push(Arc::new(problem.learner(network)) as _);
    }
    let records = progress.iter().map(MemberProgress::record).collect();
    Ok((learners, records))
}

/// Two-way networks on a GPU, and their validation rows.
struct TwoWays<'a> {
    fleet: Fleet<'a>,
    problem: TwoWayProblem,
    valid_rows: Option<FeatureMatrix>,
    /// Evaluated classes.
    terms: usize,
}

impl MembersOnGpu for TwoWays<'_> {
    fn epoch(
        &mut self,
        slots: &[usize],
        epoch: usize,
        watch: &Watch<'_>,
    ) -> Result<Vec<f64>, TrainError> {
        let steps = self.fleet.steps();
        self.fleet.begin_epoch(slots, epoch, (epoch * steps) as u64)?;
        for start in (0..steps).step_by(STEPS) {
            watch.go_on()?;
            self.fleet.run(slots, epoch, start, STEPS.min(steps - start))?;
        }
        if self.fleet.diverged()?.is_some() {
            let what = format!("in epoch {}", epoch + 1);
            return Err(FitError::Diverged { method: "dhn", what }.into());
        }
        let mean = |&slot: &usize| {
            let losses = self.fleet.losses(slot, 0, steps)?;
            Ok(losses.iter().sum::<f64>() / (losses.len() * self.terms) as f64)
        };
        slots.iter().map(mean).collect()
    }

    fn logits(&mut self, slots: &[usize]) -> Result<Vec<Vec<f32>>, TrainError> {
        let mut raw = Vec::new();
        for &slot in slots {
            if let Some(rows) = &self.valid_rows {
                raw.push(self.fleet.logits(slot, rows)?);
            }
        }
        Ok(raw.par_iter().map(|raw| self.problem.mixed(raw)).collect())
    }

    fn keep(&mut self, slot: usize) -> Result<(), TrainError> {
        Ok(self.fleet.keep(slot)?)
    }
}
