//! A phase of a run: trains all members from their current state to the end of the phase.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rulebound_core::metrics::Columns;

use super::Run;
use super::member::{Member, Task, Validation};
use super::on_cpu::OnCpu;
#[cfg(feature = "cuda")]
use super::on_gpu::OnGpu;
use super::rows::Rows;
use super::size::shape;
use crate::configuration::Stopping;
use crate::dataset::{Pipeline, Scaling};
use crate::device::Device;
use crate::examples::Examples;
use crate::train::error::TrainError;
use crate::train::log::{Log, Logged};
use crate::train::objective::Objective;
use crate::train::paths::Saving;
use crate::train::state::checkpoint::State;
use crate::train::state::record::Phase;
use crate::train::weights::TermWeights;

/// The longest and shortest time that a member trains before it is the others' turn.
const TURN: Duration = Duration::from_millis(500);
const SHORT_TURN: Duration = Duration::from_millis(20);

/// Members being trained on either device.
enum TrainingOn<'a> {
    Cpu(OnCpu, std::marker::PhantomData<&'a ()>),
    #[cfg(feature = "cuda")]
    Gpu(Box<OnGpu<'a>>),
}

impl TrainingOn<'_> {
    /// Trains every member for a turn.
    fn train(
        &mut self,
        task: &Task<'_>,
        members: &mut [Member],
        turn: Duration,
    ) -> Result<(), TrainError> {
        match self {
            Self::Cpu(here, _) => here.train(task, members, turn),
            #[cfg(feature = "cuda")]
            Self::Gpu(there) => there.train(task, members, turn),
        }
    }

    /// Copies the trained members into the state.
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables, reason = "for the GPU"))]
    fn fetch(&self, state: &mut State) -> Result<(), TrainError> {
        match self {
            Self::Cpu(..) => Ok(()),
            #[cfg(feature = "cuda")]
            Self::Gpu(there) => there.fetch(state),
        }
    }
}

impl Run<'_> {
    /// Trains all members to the end of the phase.
    pub(in crate::train) fn phase(
        &self,
        state: &mut State,
        log: &Log,
        fingerprint: &str,
    ) -> Result<(Pipeline, usize), TrainError> {
        let configuration = self.configuration;
        let rows = Rows::new(self.data, configuration, state.phase)?;
        let scaling = configuration.scaling;
        let scaling = scaling.unwrap_or(Scaling::default_for(self.data.feature_matrix()));
        let pipeline = Pipeline::fit_scaled(self.data, rows.train.iter().copied(), scaling)?;
        let train = Examples::new(self.data, self.labels.learned(), &pipeline, &rows.train)?;
        let evaluated = self.data.evaluated();
        let objective = Objective::new(configuration.method, self.data.program(), evaluated);
        let class_weights = &configuration.class_weights;
        let learned = self.labels.learned();
        let weights = TermWeights::new(self.data, learned, class_weights, &rows.train);
        let (early, valid) = match (&configuration.stopping, state.phase) {
            (Stopping::Early(early), Phase::Search) => {
                let valid = self.validation(&pipeline, &rows.valid, weights.as_ref())?;
                (Some(early), Some(valid))
            }
            _ => (None, None),
        };
        let most = state.members.iter().map(|member| member.progress.most).max().flatten();
        self.observer.phase(state.phase, state.members.len(), train.rows(), most);
        let logged = Logged::new(self.observer, log);
        let task = Task {
            phase: state.phase,
            configuration,
            early,
            objective: &objective,
            train: &train,
            weights: weights.as_ref(),
            valid: valid.as_ref(),
            stop: self.stop,
            observer: &logged,
        };
        let shape = shape(self.data, configuration)?;
        let mut training = match self.device {
            Device::Cpu => {
                let cpu = OnCpu::new(&task, state.members.len(), shape.parameters());
                TrainingOn::Cpu(cpu, std::marker::PhantomData)
            }
            #[cfg(not(feature = "cuda"))]
            Device::Cuda(gpu) => match **gpu {},
            #[cfg(feature = "cuda")]
            Device::Cuda(gpu) => {
                let program = self.data.program();
                let members = &state.members;
                let fleet = OnGpu::new(gpu, &task, &shape, program, evaluated, members)?;
                TrainingOn::Gpu(Box::new(fleet))
            }
        };
        let is_done = |state: &State| state.members.iter().all(|member| member.progress.is_done);
        let turn = self.paths.checkpoint_interval.clamp(SHORT_TURN, TURN);
        let mut saving = Saving::new(self.paths);
        while !is_done(state) {
            training.train(&task, &mut state.members, turn)?;
            logged.check()?;
            let stopped = self.stop.load(Ordering::Relaxed);
            if let Some(path) = saving.due(stopped) {
                let start = Instant::now();
                training.fetch(state)?;
                let arithmetic = self.arithmetic(&shape);
                state.save(path, self.identity(fingerprint, arithmetic.as_deref()))?;
                saving.done(start);
            }
            if stopped && !is_done(state) {
                return Err(TrainError::Stopped { checkpoint: self.paths.checkpoint.clone() });
            }
        }
        training.fetch(state)?;
        Ok((pipeline, train.rows()))
    }

    fn validation(
        &self,
        pipeline: &Pipeline,
        rows: &[usize],
        weights: Option<&TermWeights>,
    ) -> Result<Validation, TrainError> {
        let classes = self.data.classes().len();
        let mut truth = vec![false; rows.len() * classes];
        for (&row, truth) in rows.iter().zip(truth.chunks_exact_mut(classes.max(1))) {
            self.labels.truth.unpack(row, truth);
        }
        let mut columns = Columns::evaluated(self.data.evaluated());
        if let Some(known) = self.labels.truth.known(rows.iter().copied()) {
            columns = match columns.with_known(known) {
                Ok(columns) => columns,
                Err(error) => unreachable!("one mark for each label: {error}"),
            };
        }
        Ok(Validation {
            examples: Examples::new(self.data, self.labels.learned(), pipeline, rows)?,
            truth,
            weights: weights.map(|weights| weights.for_rows(self.data, rows)),
            columns,
        })
    }
}
