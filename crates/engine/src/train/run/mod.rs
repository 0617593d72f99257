//! A run: its initial state, its phases, its model.

pub(super) mod member;
mod on_cpu;
#[cfg(feature = "cuda")]
mod on_gpu;
mod phase;
pub(super) mod rows;
mod size;

use std::sync::atomic::AtomicBool;

use serde_json::json;

use self::member::Member;
use self::rows::Rows;
use self::size::{expect_room, row_bytes, shape};
use super::error::TrainError;
use super::labels::PreparedLabels;
use super::learners::fit_learner;
use super::log::Log;
use super::observer::Observer;
use super::paths::RunPaths;
use super::start::expect_same;
use super::state::checkpoint::{RunIdentity, SPARSE_ROWS, State};
use super::state::fingerprint::fingerprint;
use super::state::record::{Phase, Searched};
use crate::configuration::{
    ClassWeights, Configuration, EarlyStopping, Monitor, Precision, Stopping,
};
use crate::dataset::{ColumnDoubt, Dataset, Pipeline, Split};
use crate::device::Device;
use crate::learner::Learner;
use crate::model::{MemberTraining, Model, Part, Training};
use crate::network::default_buffer;
use crate::network::{Shape, Trainee, kernels};

/// What a run starts from, and what it may use.
#[derive(Clone, Copy, Default)]
pub(super) struct Conditions<'a> {
    /// The model whose networks it starts from; none for random ones.
    pub from: Option<&'a Model>,
    /// The bytes that it may take in all.
    pub memory_limit: Option<u64>,
}

/// Trains a model; see [`Trainer`](super::Trainer).
pub(super) fn train(
    device: &Device,
    data: &Dataset,
    configuration: &Configuration,
    paths: &RunPaths,
    observer: &dyn Observer,
    stop: &AtomicBool,
    Conditions { from, memory_limit }: Conditions<'_>,
) -> Result<Model, TrainError> {
    let mistakes = configuration.mistakes();
    if !mistakes.is_empty() {
        return Err(TrainError::Configuration(mistakes));
    }
    let mut configuration = configuration.clone();
    if matches!(device, Device::Cpu) || !configuration.method.is_network() {
        // It makes no difference there: equal results are equal files.
        configuration.precision = Precision::default();
    }
    if !data.evaluated().contains(&true) {
        return Err(TrainError::NoClasses(data.name().to_owned()));
    }
    let refused = data.doubts().iter().filter(|doubt| doubt.is_refused());
    let refused: Vec<ColumnDoubt> = refused.cloned().collect();
    if !refused.is_empty() {
        return Err(TrainError::TextColumns(refused));
    }
    let first = match &configuration.stopping {
        Stopping::Epochs(_) | Stopping::EpochsOfEach(_) => Phase::Final,
        Stopping::Early(_) => Phase::Search,
    };
    if data.columns().iter().all(|column| column.encoded_width() == 0) {
        return Err(TrainError::NoFeatures(data.name().to_owned()));
    }
    let is_on_disk = data.feature_matrix().storage().is_disk();
    if let Some(settings) = configuration.learner_settings() {
        if is_on_disk || configuration.shuffle_buffer.is_some() {
            let method = configuration.method.name();
            let what = if is_on_disk { "rows on a disk" } else { "a shuffle buffer" };
            return Err(TrainError::Unsupported { method, what });
        }
        if from.is_some() {
            let method = configuration.method.name();
            return Err(TrainError::Unsupported { method, what: "starting from a model" });
        }
        let rows = 0..data.split(Split::Valid).or(data.split(Split::Train)).map_or(0, |r| r.end);
        let labels = PreparedLabels::new(data, rows, configuration.labels, configuration.method)?;
        if labels.broken.rows > 0 {
            observer.broken_labels(&labels.broken);
        }
        return fit_learner(device, data, &configuration, &settings, &labels, observer, stop);
    }
    // Checked before any work is done.
    Rows::new(data, &configuration, first)?;
    let shape = shape(data, &configuration)?;
    if is_on_disk {
        let bytes = row_bytes(data, &shape);
        let buffer = *configuration.shuffle_buffer.get_or_insert_with(|| default_buffer(bytes));
        if buffer < data.rows() {
            observer.shuffle_buffer(buffer, buffer as u64 * bytes);
        }
    }
    let configuration = &configuration;
    expect_room(data, &shape, configuration, memory_limit)?;
    if let Some(model) = from {
        expect_same(model, data, configuration, &shape)?;
    }
    if let ClassWeights::Each(weights) = &configuration.class_weights
        && weights.len() != data.classes().len()
    {
        let (expected, found) = (data.classes().len(), weights.len());
        return Err(TrainError::ClassWeights { expected, found });
    }
    let known = data.split(Split::Train).map_or(0, |rows| rows.start)
        ..data.split(Split::Valid).or(data.split(Split::Train)).map_or(0, |rows| rows.end);
    let labels = PreparedLabels::new(data, known, configuration.labels, configuration.method)?;
    if labels.broken.rows > 0 {
        observer.broken_labels(&labels.broken);
    }
    let run = Run { device, data, labels, configuration, from, paths, observer, stop };
    run.execute(first)
}

pub(super) struct Run<'a> {
    pub device: &'a Device,
    pub data: &'a Dataset,
    pub labels: PreparedLabels<'a>,
    pub configuration: &'a Configuration,
    pub from: Option<&'a Model>,
    pub paths: &'a RunPaths,
    pub observer: &'a dyn Observer,
    pub stop: &'a AtomicBool,
}

impl Run<'_> {
    fn execute(&self, first: Phase) -> Result<Model, TrainError> {
        let mut fingerprint = fingerprint(self.data);
        if self.data.feature_matrix().is_sparse() {
            fingerprint += SPARSE_ROWS;
        }
        let (mut state, resumed) = self.begin(first, &fingerprint)?;
        let log = Log::open(self.paths, resumed, |line| {
            let epoch = |member: &Member| {
                let same_phase = line["phase"] == json!(state.phase);
                let is_past = line["phase"] == json!(Phase::Search) && !same_phase;
                line["seed"] == json!(member.seed)
                    && (is_past
                        || same_phase
                            && line["epoch"].as_u64() <= Some(member.progress.epoch as u64))
            };
            line["event"] != "epoch" && line["event"] != "finish" || state.members.iter().any(epoch)
        })?;
        log.line(if resumed { "resume" } else { "start" }, self.introduction(&fingerprint))?;
        loop {
            let (pipeline, rows) = self.phase(&mut state, &log, &fingerprint)?;
            let retrain = matches!(
                &self.configuration.stopping,
                Stopping::Early(EarlyStopping { retrain: true, .. })
            );
            if state.phase == Phase::Final || !retrain {
                let model = self.model(state, pipeline, rows)?;
                log.line("finish", json!({ "members": model.training().members }))?;
                return Ok(model);
            }
            let found = |member: &Member| {
                let (epoch, value) = member.progress.best.unwrap_or((1, f64::NAN));
                Searched { epoch, value }
            };
            let searched: Vec<Searched> = state.members.iter().map(found).collect();
            state = self.fresh(Phase::Final, Some(searched))?;
        }
    }

    /// The initial state: from the checkpoint, or a new one.
    fn begin(&self, first: Phase, fingerprint: &str) -> Result<(State, bool), TrainError> {
        if let Some(path) = self.paths.checkpoint.as_deref().filter(|path| path.exists()) {
            if !self.paths.resume {
                return Err(TrainError::Unfinished { path: path.to_owned() });
            }
            let shape = shape(self.data, self.configuration)?;
            let arithmetic = self.arithmetic(&shape);
            let run = self.identity(fingerprint, arithmetic.as_deref());
            let state = State::load(path, run, &shape, |phase| {
                let rows = Rows::new(self.data, self.configuration, phase)?;
                Ok(rows.train.len().div_ceil(self.configuration.batch))
            })?;
            let epoch = state.members.iter().map(|member| member.progress.epoch).min();
            self.observer.resumed(state.phase, epoch.unwrap_or(0));
            return Ok((state, true));
        }
        Ok((self.fresh(first, None)?, false))
    }

    fn identity<'b>(&'b self, data: &'b str, arithmetic: Option<&'b str>) -> RunIdentity<'b> {
        let (configuration, device) = (self.configuration, self.device.kind());
        RunIdentity { configuration, data, device, arithmetic }
    }

    /// The name of the arithmetic of the steps, in both phases.
    fn arithmetic(&self, shape: &Shape) -> Option<String> {
        let batch = self.configuration.batch;
        match self.device {
            Device::Cpu => kernels(batch).map(str::to_owned),
            Device::Cuda(gpu) => {
                let count = |split| self.data.split(split).map_or(0, |rows| rows.len());
                let rows = batch.min(count(Split::Train) + count(Split::Valid));
                gpu.arithmetic(shape, rows, self.configuration.precision)
            }
        }
    }

    /// The state at the beginning of a phase.
    fn fresh(&self, phase: Phase, searched: Option<Vec<Searched>>) -> Result<State, TrainError> {
        let shape = shape(self.data, self.configuration)?;
        let most = |member: usize| match (&self.configuration.stopping, &searched) {
            (Stopping::Epochs(epochs), _) => Some(*epochs),
            (Stopping::EpochsOfEach(each), _) => each.get(member).copied(),
            (Stopping::Early(_), Some(searched)) => Some(searched[member].epoch),
            (Stopping::Early(early), None) => early.most,
        };
        let fresh = |member| {
            let seed = self.configuration.member_seed(member);
            let mut new = Member::new(seed, shape.clone(), self.configuration, most(member));
            if let Some(network) = self.from.and_then(|model| model.members().get(member)) {
                new.trainee = Trainee::new(network.clone());
            }
            new
        };
        let members = (0..self.configuration.members).map(fresh).collect();
        Ok(State { phase, members, searched })
    }

    fn model(&self, state: State, pipeline: Pipeline, rows: usize) -> Result<Model, TrainError> {
        let monitor = match &self.configuration.stopping {
            Stopping::Early(early) => early.monitor,
            Stopping::Epochs(_) | Stopping::EpochsOfEach(_) => Monitor::Auprc,
        };
        let record = |(index, member): (usize, &Member)| {
            let searched = state.searched.as_ref().map(|searched| searched[index]);
            let best = member.progress.best.map(|(epoch, value)| Searched { epoch, value });
            let best = searched.or(best);
            MemberTraining {
                seed: member.seed,
                epochs: best.map_or(member.progress.epoch, |best| best.epoch),
                loss: member.progress.kept_loss().unwrap_or(f64::NAN),
                best: best.map(|best| (monitor, best.value)),
            }
        };
        let members = state.members.iter().enumerate().map(record).collect();
        let networks = state.members.iter().map(|member| member.result().clone());
        let part = Part {
            configuration: self.configuration.clone(),
            training: Training::new(self.data, rows, members),
            pipeline,
            learner: Learner::Networks(networks.collect()),
            weight: 1.0,
        };
        Ok(Model::new(self.data, part))
    }

    fn introduction(&self, fingerprint: &str) -> serde_json::Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "configuration": self.configuration,
            "device": self.device.to_string(),
            "data": self.data.name(),
            "fingerprint": fingerprint,
            "rows": self.data.rows(),
            "classes": self.data.classes().len(),
            "rules": self.data.program().rules().len(),
            "threads": rayon::current_num_threads(),
        })
    }
}
