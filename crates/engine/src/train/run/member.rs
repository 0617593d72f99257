//! One network during training: its epochs, and the best of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rulebound_core::metrics::{Columns, MetricError, Metrics, Ranking, auprc};
use rulebound_core::{LayerError, Margin};

use crate::configuration::{Configuration, EarlyStopping, Monitor};
use crate::examples::Examples;
use crate::network::RowOrder;
use crate::network::{Adam, Dropout, Network, Shape, Trainee, Workspace};
use crate::train::error::TrainError;
use crate::train::objective::{Objective, ObjectiveSpace};
use crate::train::observer::Observer;
use crate::train::state::record::{EpochRecord, Phase, Progress};
use crate::train::weights::TermWeights;

/// A network during training, with everything that must survive an interruption.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::train) struct Member {
    pub seed: u64,
    pub trainee: Trainee,
    pub progress: Progress,
    /// The network of the best epoch so far.
    pub best: Option<Network>,
}

/// What the validation rows say after an epoch; nothing where there are none, or nothing is defined.
#[derive(Clone, Copy, Debug, Default)]
struct Validated {
    auprc: Option<f64>,
    loss: Option<f64>,
    monitored: Option<f64>,
}

/// What the members share during a phase.
pub(in crate::train) struct Task<'a> {
    pub phase: Phase,
    pub configuration: &'a Configuration,
    /// None if nothing is monitored.
    pub early: Option<&'a EarlyStopping>,
    pub objective: &'a Objective,
    pub train: &'a Examples,
    /// The weights of the terms of the loss; none if all are 1.
    pub weights: Option<&'a TermWeights>,
    pub valid: Option<&'a Validation>,
    pub stop: &'a AtomicBool,
    pub observer: &'a dyn Observer,
}

/// Validation rows with their ground truth.
pub(in crate::train) struct Validation {
    pub examples: Examples,
    pub truth: Vec<bool>,
    pub weights: Option<TermWeights>,
    pub columns: Columns,
}

/// The working memory of a member.
pub(in crate::train) struct Space {
    network: Workspace,
    objective: ObjectiveSpace,
    logits: Vec<f32>,
    gradient: Vec<f32>,
    labels: Vec<bool>,
    weights: Vec<f32>,
    /// An epoch, and the order of the rows in it.
    order: Option<(usize, Vec<u32>)>,
}

impl Space {
    pub fn new(task: &Task<'_>) -> Self {
        Self {
            network: Workspace::new(task.configuration.sparse_update),
            objective: task.objective.workspace(),
            logits: Vec::new(),
            gradient: Vec::new(),
            labels: Vec::new(),
            weights: Vec::new(),
            order: None,
        }
    }
}

impl Member {
    /// A newly initialised network.
    pub fn new(
        seed: u64,
        shape: Shape,
        configuration: &Configuration,
        most: Option<usize>,
    ) -> Self {
        let network = Network::random(shape, configuration.activation, seed);
        let progress = Progress {
            epoch: 0,
            step: 0,
            total_steps: 0,
            loss: 0.0,
            seconds: 0.0,
            last_loss: None,
            best: None,
            best_loss: None,
            most,
            is_done: false,
        };
        Self { seed, trainee: Trainee::new(network), progress, best: None }
    }

    /// The result of the phase: the best network if one was searched for, else the last.
    pub fn result(&self) -> &Network {
        self.best.as_ref().unwrap_or(&self.trainee.network)
    }

    /// Trains for `time`, or until the member is done or the run is stopped.
    pub fn train(
        &mut self,
        task: &Task<'_>,
        space: &mut Space,
        time: Duration,
    ) -> Result<(), TrainError> {
        let start = Instant::now();
        let mut since = start;
        let rows = task.train.rows();
        let steps = rows.div_ceil(task.configuration.batch);
        while !self.progress.is_done {
            while self.progress.step < steps {
                if task.stop.load(Ordering::Relaxed) || start.elapsed() > time {
                    self.progress.seconds += since.elapsed().as_secs_f64();
                    return Ok(());
                }
                let examples = self.step(task, space)?;
                task.observer.examples(examples);
            }
            let logits = task.valid.map(|valid| self.logits(valid, task.objective));
            if self.finish_epoch(task, logits, &mut space.objective, since)? {
                self.best = Some(self.trainee.network.clone());
            }
            since = Instant::now();
        }
        Ok(())
    }

    fn diverged(&self, error: LayerError) -> TrainError {
        match error {
            LayerError::NotANumber { .. } => {
                TrainError::Diverged { seed: self.seed, epoch: self.progress.epoch + 1 }
            }
            other => other.into(),
        }
    }

    /// Takes one step and returns its number of examples.
    fn step(&mut self, task: &Task<'_>, space: &mut Space) -> Result<usize, TrainError> {
        let (configuration, train) = (task.configuration, task.train);
        let Progress { epoch, step, .. } = self.progress;
        if space.order.as_ref().is_none_or(|(ordered, _)| *ordered != epoch) {
            let order = RowOrder { seed: self.seed, buffer: configuration.shuffle_buffer };
            space.order = Some((epoch, order.in_epoch(epoch, train.rows())));
        }
        let order = space.order.as_ref().map_or(&[][..], |(_, order)| order);
        let batch = order.chunks(configuration.batch).nth(step).unwrap_or_default();
        let classes = task.objective.classes();
        let size = batch.len() * classes;
        space.logits.resize(size, 0.0);
        space.gradient.resize(size, 0.0);
        space.labels.resize(size, false);
        for (&row, labels) in batch.iter().zip(space.labels.chunks_exact_mut(classes)) {
            train.labels().unpack(row as usize, labels);
        }
        if let Some(weights) = task.weights {
            space.weights.resize(size, 1.0);
            let rows =
                space.labels.chunks_exact(classes).zip(space.weights.chunks_exact_mut(classes));
            for (&row, (labels, cells)) in batch.iter().zip(rows) {
                weights.fill(train.labels(), row as usize, labels, cells);
            }
        }
        let dropout = Dropout {
            rate: configuration.dropout,
            seed: self.seed,
            epoch: epoch as u32,
            step: step as u32,
        };
        let rows = batch.iter().map(|&row| train.row(row as usize));
        space.network.forward(&self.trainee.network, rows, Some(dropout), &mut space.logits);
        let weights = task.weights.map(|_| &space.weights[..]);
        let (logits, labels) = (&space.logits, &space.labels);
        let loss = task
            .objective
            .weighted_loss(logits, labels, weights, &mut space.gradient, &mut space.objective)
            .map_err(|error| self.diverged(error))?;
        self.progress.total_steps += 1;
        let (rate, decay) = (configuration.learning_rate, configuration.weight_decay);
        let adam = Adam::step(self.progress.total_steps, rate, decay);
        space.network.backward(&mut self.trainee, &space.gradient, adam);
        self.progress.loss += loss.mean * batch.len() as f64;
        self.progress.step += 1;
        Ok(batch.len())
    }

    /// Ends an epoch, given the logits of the validation rows if there are any. Returns whether it
    /// is the best so far.
    pub fn finish_epoch(
        &mut self,
        task: &Task<'_>,
        logits: Option<Vec<f32>>,
        space: &mut ObjectiveSpace,
        since: Instant,
    ) -> Result<bool, TrainError> {
        let monitor = task.early.map(|early| early.monitor);
        let Validated { auprc: valid_auprc, loss: valid_loss, monitored: valid_monitored } =
            match (task.valid, logits) {
                (Some(valid), Some(logits)) => {
                    self.validate(valid, task.objective, logits, monitor, space)?
                }
                _ => Validated::default(),
            };
        let mut is_best = false;
        let progress = &mut self.progress;
        progress.epoch += 1;
        progress.step = 0;
        let loss = progress.loss / task.train.rows() as f64;
        progress.loss = 0.0;
        progress.last_loss = Some(loss);
        progress.is_done = progress.most.is_some_and(|most| progress.epoch >= most);
        let record = EpochRecord {
            phase: task.phase,
            seed: self.seed,
            epoch: progress.epoch,
            loss,
            valid_auprc,
            valid_loss,
            valid_monitored,
            seconds: progress.seconds + since.elapsed().as_secs_f64(),
        };
        progress.seconds = 0.0;
        if let Some(early) = task.early {
            let value = match early.monitor {
                Monitor::Auprc => valid_auprc.ok_or(TrainError::Undefined)?,
                Monitor::Loss => valid_loss.unwrap_or(f64::INFINITY),
                _ => valid_monitored.ok_or(TrainError::Undefined)?,
            };
            if progress.best.is_none_or(|(_, best)| early.monitor.is_better(value, best)) {
                progress.best = Some((progress.epoch, value));
                progress.best_loss = Some(loss);
                is_best = true;
            }
            let (best, _) = progress.best.unwrap_or((progress.epoch, value));
            progress.is_done |= progress.epoch - best >= early.patience;
        }
        task.observer.epoch(&record);
        Ok(is_best)
    }

    /// The logits of the validation rows.
    fn logits(&self, valid: &Validation, objective: &Objective) -> Vec<f32> {
        let mut logits = vec![0.0; valid.examples.rows() * objective.classes()];
        self.trainee.network.forward_pass().logits_of(valid.examples.inputs(), &mut logits);
        logits
    }

    /// AU(PRC) and loss of the validation rows, and another metric if that is monitored.
    fn validate(
        &self,
        valid: &Validation,
        objective: &Objective,
        mut scores: Vec<f32>,
        monitor: Option<Monitor>,
        space: &mut ObjectiveSpace,
    ) -> Result<Validated, TrainError> {
        let (examples, classes) = (&valid.examples, objective.classes());
        let (mut truth, mut gradient, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut sum = 0.0;
        /// Rows per loss computation.
        const ROWS: usize = 64;
        for (index, logits) in scores.chunks(ROWS * classes).enumerate() {
            truth.resize(logits.len(), false);
            gradient.resize(logits.len(), 0.0);
            for (row, labels) in truth.chunks_exact_mut(classes).enumerate() {
                examples.labels().unpack(index * ROWS + row, labels);
            }
            if let Some(terms) = &valid.weights {
                weights.resize(logits.len(), 1.0);
                let rows = truth.chunks_exact(classes).zip(weights.chunks_exact_mut(classes));
                for (row, (labels, cells)) in rows.enumerate() {
                    terms.fill(examples.labels(), index * ROWS + row, labels, cells);
                }
            }
            let weights = valid.weights.as_ref().map(|_| &weights[..]);
            let loss = objective
                .weighted_loss(logits, &truth, weights, &mut gradient, space)
                .map_err(|error| self.diverged(error))?;
            sum += loss.mean * (logits.len() / classes) as f64;
        }
        objective.scores(&mut scores, space).map_err(|error| self.diverged(error))?;
        let area = match Ranking::new(&scores, &valid.truth, &valid.columns) {
            Ok(ranking) => auprc(&ranking),
            Err(MetricError::NaN { .. }) => {
                let (seed, epoch) = (self.seed, self.progress.epoch + 1);
                return Err(TrainError::Diverged { seed, epoch });
            }
            Err(error) => unreachable!("scores and truth have the same shape: {error}"),
        };
        let other = monitor.filter(|&monitor| monitor != Monitor::Auprc).and_then(Monitor::metric);
        let monitored = other.and_then(|metric| {
            let decisions: Vec<bool> = scores.iter().map(|score| score.is_predicted()).collect();
            // The scores were ranked above, so that they have the right shape and no NaN.
            let all = Metrics::new(&scores, &decisions, &valid.truth, &valid.columns);
            all.ok().and_then(|all| all.get(metric))
        });
        Ok(Validated { auprc: area, loss: Some(sum / examples.rows() as f64), monitored })
    }
}
