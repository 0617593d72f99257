//! Training two-way networks on a GPU: all members at once, as networks of one program with twice
//! the classes.

use rayon::prelude::*;

use super::error::TrainError;
use crate::configuration::Configuration;
use crate::cuda::{Fleet, FleetTask, Gpu};
use crate::examples::Examples;
use crate::features::FeatureMatrix;
use crate::learner::{
    EpochPlan, EpochsOfMember, FitError, FitRows, Learner, MemberPlan, TwoWayProblem,
    TwoWaySettings, Validation,
};
use crate::network::{Activation, Network, Shape, Trainee};

/// Steps between two looks at the stop flag.
const STEPS: usize = 256;

/// Trains the members as their plans say; see [`Learner::fit_by_epochs`].
///
/// # Panics
/// If a plan searches and there are no validation rows.
pub(super) fn fit_two_ways(
    gpu: &Gpu,
    settings: &TwoWaySettings,
    rows: &FitRows<'_>,
    valid: Option<&FitRows<'_>>,
    members: &[MemberPlan<'_>],
) -> Result<(Learner, Vec<EpochsOfMember>), TrainError> {
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
        class_weights: Some(problem.weights()),
        examples: &examples,
        seeds: &seeds,
        keeps_best: members.iter().any(|(_, plan, _)| matches!(plan, EpochPlan::Search { .. })),
    };
    let mut fleet = Fleet::new(gpu, &task)?;
    for (slot, &seed) in seeds.iter().enumerate() {
        let network = Network::random(shape.clone(), Activation::Relu, seed);
        fleet.put(slot, &Trainee::new(network), None)?;
    }
    let validation = valid.map(Validation::new);
    let valid_rows = valid.map(|valid| FeatureMatrix::Dense {
        cells: valid.inputs().to_vec(),
        width: valid.width(),
        rows: valid.rows(),
    });
    let terms = problem.evaluated().iter().filter(|&&is| is).count();
    let mut states: Vec<State> = members.iter().map(|(_, plan, _)| State::new(*plan)).collect();
    let mut epoch = 0;
    loop {
        let slots: Vec<usize> = (0..states.len()).filter(|&slot| !states[slot].is_done).collect();
        let Some(&first) = slots.first() else { break };
        let steps = fleet.steps();
        fleet.begin_epoch(&slots, epoch, (epoch * steps) as u64)?;
        for start in (0..steps).step_by(STEPS) {
            members[first].2.go_on()?;
            fleet.run(&slots, epoch, start, STEPS.min(steps - start))?;
        }
        if fleet.diverged()?.is_some() {
            let what = format!("in epoch {}", epoch + 1);
            return Err(FitError::Diverged { method: "dhn", what }.into());
        }
        let mut raw: Vec<Vec<f32>> = Vec::new();
        for &slot in &slots {
            let losses = fleet.losses(slot, 0, steps)?;
            states[slot].last = losses.iter().sum::<f64>() / (losses.len() * terms) as f64;
            if let Some(rows) = &valid_rows {
                raw.push(fleet.logits(slot, rows)?);
            }
        }
        let values: Vec<Option<f64>> = raw
            .par_iter()
            .map(|raw| validation.as_ref().and_then(|of| of.auprc(&problem.mixed(raw))))
            .collect();
        for (index, &slot) in slots.iter().enumerate() {
            let value = values.get(index).map(|value| value.unwrap_or(f64::NAN));
            if states[slot].finish_epoch(epoch + 1, value) {
                fleet.keep(slot)?;
            }
            members[slot].2.done(epoch + 1, states[slot].most)?;
        }
        epoch += 1;
    }
    let mut learners = Vec::new();
    for (slot, state) in states.iter().enumerate() {
        let kept = if state.best.is_some() { fleet.kept(slot)? } else { None };
        let network = match kept {
            Some(network) => network,
            None => fleet.take(slot)?.network,
        };
        learners.push(problem.learner(network));
    }
    let records = states.iter().map(State::record).collect();
    Ok((Learner::TwoWays(learners), records))
}

/// The progress of a member.
struct State {
    most: usize,
    patience: Option<usize>,
    epochs: usize,
    last: f64,
    /// Epoch, AU(PRC) and loss of the best network.
    best: Option<(usize, f64, f64)>,
    is_done: bool,
}

impl State {
    fn new(plan: EpochPlan) -> Self {
        let (most, patience) = match plan {
            EpochPlan::Exactly(epochs) => (epochs, None),
            EpochPlan::Search { patience, most } => (most, Some(patience)),
        };
        Self { most, patience, epochs: 0, last: f64::NAN, best: None, is_done: most == 0 }
    }

    /// Ends an epoch, numbered from 1, with the AU(PRC) of validation rows; returns whether it is the
    /// best so far.
    fn finish_epoch(&mut self, epoch: usize, value: Option<f64>) -> bool {
        self.epochs = epoch;
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

    fn record(&self) -> EpochsOfMember {
        match self.best {
            Some((epochs, value, loss)) => EpochsOfMember { epochs, loss, best: Some(value) },
            None => EpochsOfMember { epochs: self.epochs, loss: self.last, best: None },
        }
    }
}
