//! A run: its phases, its members, its checkpoints.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rulebound_core::Thresholds;
use rulebound_core::metrics::Columns;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::checkpoint::State;
use super::configuration::{Configuration, EarlyStopping, Monitor, Stopping};
use super::error::TrainError;
use super::examples::{Examples, prepare_labels};
use super::fingerprint::fingerprint;
use super::log::Log;
use super::member::{EpochRecord, Member, Space, Task, Validation};
use super::objective::Objective;
use super::observer::Observer;
use super::on_card::OnCard;
use super::rows::Rows;
use super::size::{expect_room, shape};
use crate::dataset::{Dataset, LabelMatrix, Pipeline, Split};
use crate::device::Device;
use crate::model::{MemberTraining, Model, Training};
use crate::network::awake;

/// The parts of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Training with an eye on the validation rows.
    Search,
    /// Training on all rows for a number of epochs that is known.
    Final,
}

/// What the first phase found out about a member: the best epoch and its value.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Searched {
    pub epoch: usize,
    pub value: f64,
}

/// Where a run keeps what must not be lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The checkpoint; written from time to time and when the run is stopped, removed at the end.
    pub checkpoint: Option<PathBuf>,
    /// Whether to go on from the checkpoint if there is one.
    pub resume: bool,
    /// The log.
    pub log: Option<PathBuf>,
    /// The time between two checkpoints; longer where writing one takes long.
    pub every: Duration,
}

impl Default for Places {
    fn default() -> Self {
        Self { checkpoint: None, resume: false, log: None, every: Duration::from_secs(10) }
    }
}

/// How long a member trains before the others have their turn, at most and at least.
const TURN: Duration = Duration::from_millis(500);
const SHORT_TURN: Duration = Duration::from_millis(20);

/// Parameters of a network from which on the threads of the pool have work in each step.
const WORTH_STAYING_AWAKE: usize = 1 << 16;

/// Writing checkpoints takes at most one part in so many of the time.
const CHECKPOINT_SHARE: u32 = 20;

/// Trains a model.
///
/// ```
/// use rulebound::dataset::{Builtin, Step};
/// use rulebound::train::{Configuration, Places, Silent, Stopping, train};
/// # use std::sync::atomic::AtomicBool;
/// let data = Builtin::Rectangles.generate(Step::INSIDE, 0)?;
/// let configuration = Configuration {
///     hidden: vec![8],
///     stopping: Stopping::Epochs(2),
///     ..Configuration::default()
/// };
/// let never = AtomicBool::new(false);
/// let model = train(&data, &configuration, &Places::default(), &Silent, &never)?;
/// assert_eq!(model.members().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When configuration, data and places cannot be used, when the network diverges, and when `stop`
/// was set; see [`TrainError`].
pub fn train(
    data: &Dataset,
    configuration: &Configuration,
    places: &Places,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Model, TrainError> {
    train_on(&Device::Cpu, data, configuration, places, observer, stop)
}

/// As [`train`], on a device. Devices draw the same masks and orders; results differ by rounding.
///
/// # Errors
/// As [`train`], and when the device fails or has too little memory.
pub fn train_on(
    device: &Device,
    data: &Dataset,
    configuration: &Configuration,
    places: &Places,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Model, TrainError> {
    let mistakes = configuration.mistakes();
    if !mistakes.is_empty() {
        return Err(TrainError::Configuration(mistakes));
    }
    if !data.evaluated().contains(&true) {
        return Err(TrainError::NoClasses(data.name().to_owned()));
    }
    let first = match &configuration.stopping {
        Stopping::Epochs(_) => Phase::Final,
        Stopping::Early(_) => Phase::Search,
    };
    if data.columns().iter().all(|column| column.encoded_width() == 0) {
        return Err(TrainError::NoFeatures(data.name().to_owned()));
    }
    // Checked before anything is done.
    Rows::of(data, configuration, first)?;
    let shape = shape(data, configuration)?;
    expect_room(&shape, configuration.members)?;
    let known = data.split(Split::Train).map_or(0, |rows| rows.start)
        ..data.split(Split::Valid).or(data.split(Split::Train)).map_or(0, |rows| rows.end);
    let (labels, broken) = prepare_labels(data, known, configuration.labels, configuration.method)?;
    if broken.rows > 0 {
        observer.broken_labels(&broken);
    }
    let run = Run { device, data, labels, configuration, places, observer, stop };
    run.go(first)
}

struct Run<'a> {
    device: &'a Device,
    data: &'a Dataset,
    labels: LabelMatrix,
    configuration: &'a Configuration,
    places: &'a Places,
    observer: &'a dyn Observer,
    stop: &'a AtomicBool,
}

impl Run<'_> {
    fn go(&self, first: Phase) -> Result<Model, TrainError> {
        let fingerprint = fingerprint(self.data);
        let (mut state, resumed) = self.begin(first, &fingerprint)?;
        let log = Log::open(self.places.log.as_deref(), resumed, |line| {
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

    /// The state to start from: the checkpoint's, or a fresh one.
    fn begin(&self, first: Phase, fingerprint: &str) -> Result<(State, bool), TrainError> {
        if let Some(path) = self.places.checkpoint.as_deref().filter(|path| path.exists()) {
            if !self.places.resume {
                return Err(TrainError::Unfinished { path: path.to_owned() });
            }
            let state = State::load(
                path,
                self.configuration,
                fingerprint,
                self.device.kind(),
                &shape(self.data, self.configuration)?,
            )?;
            let epoch = state.members.iter().map(|member| member.progress.epoch).min();
            self.observer.resumed(state.phase, epoch.unwrap_or(0));
            return Ok((state, true));
        }
        Ok((self.fresh(first, None)?, false))
    }

    /// A phase at its beginning.
    fn fresh(&self, phase: Phase, searched: Option<Vec<Searched>>) -> Result<State, TrainError> {
        let shape = shape(self.data, self.configuration)?;
        let most = |member: usize| match (&self.configuration.stopping, &searched) {
            (Stopping::Epochs(epochs), _) => Some(*epochs),
            (Stopping::Early(_), Some(searched)) => Some(searched[member].epoch),
            (Stopping::Early(early), None) => early.most,
        };
        let fresh = |member| {
            let seed = self.configuration.member_seed(member);
            Member::new(seed, shape.clone(), self.configuration, most(member))
        };
        let members = (0..self.configuration.members).map(fresh).collect();
        Ok(State { phase, members, searched })
    }

    /// Trains all members to the end of the phase.
    fn phase(
        &self,
        state: &mut State,
        log: &Log,
        fingerprint: &str,
    ) -> Result<(Pipeline, usize), TrainError> {
        let configuration = self.configuration;
        let rows = Rows::of(self.data, configuration, state.phase)?;
        let pipeline = Pipeline::fit(self.data, rows.train.iter().copied())?;
        let train = Examples::new(self.data, &self.labels, &pipeline, &rows.train)?;
        let evaluated = self.data.evaluated();
        let objective = Objective::new(configuration.method, self.data.program(), evaluated);
        let (early, valid) = match (&configuration.stopping, state.phase) {
            (Stopping::Early(early), Phase::Search) => {
                (Some(early), Some(self.validation(&pipeline, &rows.valid)?))
            }
            _ => (None, None),
        };
        let most = state.members.iter().map(|member| member.progress.most).max().flatten();
        self.observer.phase(state.phase, state.members.len(), train.rows(), most);
        let watch = Watch { observer: self.observer, log, failed: Mutex::new(None) };
        let task = Task {
            phase: state.phase,
            configuration,
            early,
            objective: &objective,
            train: &train,
            terms: evaluated.iter().filter(|&&is| is).count(),
            valid: valid.as_ref(),
            stop: self.stop,
            observer: &watch,
        };
        let mut spaces: Vec<Space> = state.members.iter().map(|_| Space::new(&objective)).collect();
        let mut on_card = match self.device {
            Device::Cpu => None,
            Device::Cuda(card) => {
                let (program, shape) = (self.data.program(), shape(self.data, configuration)?);
                Some(OnCard::new(card, &task, &shape, program, evaluated, &state.members)?)
            }
        };
        let size = shape(self.data, configuration)?.parameters();
        let is_one_and_large = state.members.len() == 1 && size >= WORTH_STAYING_AWAKE;
        let mut saved = Instant::now();
        let mut pause = self.places.every;
        while state.members.iter().any(|member| !member.progress.is_done) {
            let turn = self.places.every.clamp(SHORT_TURN, TURN);
            match &mut on_card {
                Some(on_card) => on_card.train(&task, &mut state.members, turn)?,
                None => {
                    let members = state.members.par_iter_mut().zip(&mut spaces);
                    let all = || members.try_for_each(|(m, space)| m.train(&task, space, turn));
                    // Several members keep the threads busy by themselves, and small networks have
                    // no work for them.
                    if is_one_and_large { awake(all)? } else { all()? }
                }
            }
            if let Some(error) = watch.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                return Err(error);
            }
            let stopped = self.stop.load(Ordering::Relaxed);
            if let Some(path) = &self.places.checkpoint
                && (stopped || saved.elapsed() >= pause)
            {
                let start = Instant::now();
                if let Some(on_card) = &on_card {
                    on_card.fetch(state)?;
                }
                state.save(path, configuration, fingerprint, self.device.kind())?;
                saved = Instant::now();
                pause = self.places.every.max(start.elapsed() * CHECKPOINT_SHARE);
            }
            if stopped && state.members.iter().any(|member| !member.progress.is_done) {
                return Err(TrainError::Stopped { checkpoint: self.places.checkpoint.clone() });
            }
        }
        if let Some(on_card) = &on_card {
            on_card.fetch(state)?;
        }
        Ok((pipeline, train.rows()))
    }

    fn validation(&self, pipeline: &Pipeline, rows: &[usize]) -> Result<Validation, TrainError> {
        let classes = self.data.classes().len();
        let mut truth = vec![false; rows.len() * classes];
        for (&row, truth) in rows.iter().zip(truth.chunks_exact_mut(classes.max(1))) {
            self.data.labels().unpack(row, truth);
        }
        Ok(Validation {
            examples: Examples::new(self.data, &self.labels, pipeline, rows)?,
            truth,
            columns: Columns::evaluated(self.data.evaluated()),
        })
    }

    fn model(&self, state: State, pipeline: Pipeline, rows: usize) -> Result<Model, TrainError> {
        let monitor = match &self.configuration.stopping {
            Stopping::Early(early) => early.monitor,
            Stopping::Epochs(_) => Monitor::Auprc,
        };
        let told = |(index, member): (usize, &Member)| {
            let searched = state.searched.as_ref().map(|searched| searched[index]);
            let best = member.progress.best.map(|(epoch, value)| Searched { epoch, value });
            let best = searched.or(best);
            MemberTraining {
                seed: member.seed,
                epochs: best.map_or(member.progress.epoch, |best| best.epoch),
                loss: member.progress.last_loss.unwrap_or(f64::NAN),
                best: best.map(|best| (monitor, best.value)),
            }
        };
        let classes = self.data.classes().len();
        Ok(Model {
            program: self.data.program().clone(),
            evaluated: self.data.evaluated().to_vec(),
            thresholds: Thresholds::uniform(classes, 0.5)?,
            pipeline,
            configuration: self.configuration.clone(),
            training: Training {
                data: self.data.name().to_owned(),
                rows,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                members: state.members.iter().enumerate().map(told).collect(),
            },
            members: state.members.iter().map(|member| member.result().clone()).collect(),
        })
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

/// Passes what members tell on, and writes the log.
struct Watch<'a> {
    observer: &'a dyn Observer,
    log: &'a Log,
    failed: Mutex<Option<TrainError>>,
}

impl Observer for Watch<'_> {
    fn examples(&self, count: usize) {
        self.observer.examples(count);
    }

    fn epoch(&self, record: &EpochRecord) {
        if let Err(error) = self.log.epoch(record) {
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        self.observer.epoch(record);
    }
}
