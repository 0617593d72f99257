//! The search: points to trials, some at a time, each kept as soon as it is there.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::error::TuneError;
use super::identity::Identity;
use super::point::{Key, Point};
use super::table::Table;
use super::trial::{Measured, Trial};
use crate::dataset::Dataset;
use crate::model::Training;
use crate::train::{
    self, BrokenLabels, Configuration, EarlyStopping, EpochRecord, Phase, Stopping, TrainError,
    Trainer,
};

/// Searches among settings: points to trials, in order. Everything has a default;
/// [`run`](Self::run) does the work.
///
/// A point that is in the table already is not tried again; one that diverges is a trial without a
/// value.
///
/// ```
/// use rulebound::dataset::{Builtin, Step};
/// use rulebound::train::{Configuration, EarlyStopping, Stopping};
/// use rulebound::tune::{Grid, Tuner};
/// let data = Builtin::Rectangles.generate(Step::INSIDE, 0)?;
/// let early = EarlyStopping { most: Some(1), ..EarlyStopping::default() };
/// let base = Configuration { stopping: Stopping::Early(early), ..Configuration::default() };
/// let grid = Grid {
///     hidden: vec![4, 8],
///     learning_rates: vec![1e-2, 1e-3],
///     dropouts: vec![0.0],
///     weight_decays: vec![0.0],
///     batches: vec![64],
/// };
/// let trials = Tuner::new(base).run(&data, &grid.random(2, 0)?)?;
/// assert_eq!(trials.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Tuner<'a> {
    base: Configuration,
    table: Option<PathBuf>,
    checkpoint_interval: Duration,
    jobs: usize,
    observer: &'a dyn TuneObserver,
    stop: Option<&'a AtomicBool>,
    memory_limit: Option<u64>,
}

impl<'a> Tuner<'a> {
    /// A search around `base`, which the points change; it keeps nothing on disk.
    pub fn new(base: Configuration) -> Self {
        Self {
            base,
            table: None,
            checkpoint_interval: Duration::from_secs(10),
            jobs: 1,
            observer: &train::Silent,
            stop: None,
            memory_limit: None,
        }
    }

    /// The table of trials, which grows by a line each. The checkpoint of an unfinished trial lies
    /// beside it, named after its point.
    #[must_use]
    pub fn table(mut self, path: impl Into<PathBuf>) -> Self {
        self.table = Some(path.into());
        self
    }

    /// The bytes that each trial may take in all, including the data [default: what is available].
    #[must_use]
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// The time between two checkpoints of a trial [default: 10 s].
    #[must_use]
    pub fn checkpoint_interval(mut self, interval: Duration) -> Self {
        self.checkpoint_interval = interval;
        self
    }

    /// Points that are trained at the same time; each needs memory of its own [default: 1].
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs;
        self
    }

    /// Is called back during the search [default: nobody].
    #[must_use]
    pub fn observer(mut self, observer: &'a dyn TuneObserver) -> Self {
        self.observer = observer;
        self
    }

    /// The search ends soon after this is set, with [`TuneError::Stopped`] [default: never].
    #[must_use]
    pub fn stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Tries points on a data set.
    ///
    /// # Errors
    /// When nothing is monitored, the table cannot be used, a trial cannot be trained for another
    /// reason than that it diverged, and when the search was stopped; see [`TuneError`]. Finished
    /// trials are in the table in every case.
    pub fn run(&self, data: &Dataset, points: &[Point]) -> Result<Vec<Trial>, TuneError> {
        let never = AtomicBool::new(false);
        search(self, data, points, self.stop.unwrap_or(&never))
    }
}

impl std::fmt::Debug for Tuner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tuner")
            .field("base", &self.base)
            .field("table", &self.table)
            .field("jobs", &self.jobs)
            .finish_non_exhaustive()
    }
}

/// Is told how a search goes, from any thread, and how each of its runs does.
pub trait TuneObserver: train::Observer {
    /// The search begins with this many points; `known` are in the table already.
    fn begin(&self, points: usize, known: &[Trial]) {
        let _ = (points, known);
    }

    /// A trial is finished and kept.
    fn finished(&self, trial: &Trial) {
        let _ = trial;
    }
}

impl TuneObserver for train::Silent {}

fn search(
    tuner: &Tuner<'_>,
    data: &Dataset,
    points: &[Point],
    stop: &AtomicBool,
) -> Result<Vec<Trial>, TuneError> {
    let Tuner { base, observer, .. } = tuner;
    let Stopping::Early(early) = &base.stopping else {
        return Err(TuneError::NoMonitor);
    };
    let opened = tuner.table.as_deref().map(|path| {
        let identity = Identity::new(data, base, early);
        Table::open(path, &identity)
    });
    let (table, in_table) = match opened.transpose()? {
        Some((table, trials)) => (Some(table), trials),
        None => (None, Vec::new()),
    };
    let mut trials: HashMap<Key, Trial> =
        in_table.into_iter().map(|trial| (trial.point.key(), trial)).collect();
    let known: Vec<Trial> =
        points.iter().filter_map(|point| trials.get(&point.key()).cloned()).collect();
    observer.begin(points.len(), &known);
    let mut asked = std::collections::HashSet::new();
    let is_open = |point: &&Point| !trials.contains_key(&point.key()) && asked.insert(point.key());
    let open: Vec<Point> = points.iter().filter(is_open).copied().collect();
    let search = Search {
        data,
        base,
        early,
        tuner,
        observer: *observer,
        stop,
        halt: AtomicBool::new(false),
        next: AtomicUsize::new(0),
        kept: Mutex::new(Kept { table, trials: Vec::new(), failed: None }),
    };
    let jobs = tuner.jobs.clamp(1, open.len().max(1));
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(|| search.work(&open));
        }
        search.work(&open);
    });
    let kept = search.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    trials.extend(kept.trials.into_iter().map(|trial| (trial.point.key(), trial)));
    if let Some(error) = kept.failed {
        return Err(error);
    }
    let found: Vec<Trial> =
        points.iter().filter_map(|point| trials.get(&point.key()).cloned()).collect();
    if found.len() < points.len() {
        return Err(TuneError::Stopped { done: found.len(), points: points.len() });
    }
    Ok(found)
}

struct Search<'a> {
    data: &'a Dataset,
    base: &'a Configuration,
    early: &'a EarlyStopping,
    tuner: &'a Tuner<'a>,
    observer: &'a dyn TuneObserver,
    /// Set from outside.
    stop: &'a AtomicBool,
    /// What runs look at: set when `stop` is, and when a trial of another thread has failed.
    halt: AtomicBool,
    next: AtomicUsize,
    kept: Mutex<Kept>,
}

struct Kept {
    table: Option<Table>,
    trials: Vec<Trial>,
    failed: Option<TuneError>,
}

impl Search<'_> {
    /// Tries points until there are none left.
    fn work(&self, points: &[Point]) {
        while !self.is_halted() {
            let Some(point) = points.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            match self.attempt(point) {
                Ok(()) => {}
                Err(TuneError::Train(TrainError::Stopped { .. })) => return,
                Err(error) => {
                    self.halt.store(true, Ordering::Relaxed);
                    self.kept().failed.get_or_insert(error);
                    return;
                }
            }
        }
    }

    fn is_halted(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            self.halt.store(true, Ordering::Relaxed);
        }
        self.halt.load(Ordering::Relaxed)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries a point and keeps the trial.
    fn attempt(&self, point: &Point) -> Result<(), TuneError> {
        let checkpoint = self.tuner.table.as_deref().map(|table| checkpoint(table, point));
        let start = Instant::now();
        let (measured, epochs) = match self.train(point, checkpoint.as_deref()) {
            Ok(training) => self.measured(&training),
            Err(TrainError::Diverged { epoch, .. }) => (None, epoch),
            Err(error) => return Err(error.into()),
        };
        let seconds = start.elapsed().as_secs_f64();
        let trial = Trial { point: *point, measured, epochs, seconds };
        {
            let mut kept = self.kept();
            if let Some(table) = &mut kept.table {
                table.append(&trial)?;
            }
            kept.trials.push(trial.clone());
        }
        if let Some(checkpoint) = checkpoint {
            fs::remove_file(checkpoint).ok();
        }
        self.observer.finished(&trial);
        Ok(())
    }

    fn train(&self, point: &Point, checkpoint: Option<&Path>) -> Result<Training, TrainError> {
        let configuration = point.configuration(self.base);
        let paths = train::RunPaths {
            checkpoint: checkpoint.map(Path::to_owned),
            resume: true,
            checkpoint_interval: self.tuner.checkpoint_interval,
            ..train::RunPaths::default()
        };
        let watch = Watch(self);
        let mut trainer = Trainer::new()
            .configuration(configuration.clone())
            .paths(paths.clone())
            .observer(&watch)
            .stop(&self.halt);
        if let Some(limit) = self.tuner.memory_limit {
            trainer = trainer.memory_limit(limit);
        }
        let go = || trainer.fit(self.data);
        let model = match (go(), checkpoint) {
            // Left by a search with other data or settings, of which the table has no trial.
            (Err(TrainError::OtherRun { .. }), Some(path)) => {
                fs::remove_file(path).ok();
                go()
            }
            (result, _) => result,
        };
        Ok(model?.training().clone())
    }

    /// What a run came to, and its epochs.
    fn measured(&self, training: &Training) -> (Option<Measured>, usize) {
        let best_epochs: Vec<usize> = training.members.iter().map(|one| one.epochs).collect();
        let most = self.early.most.unwrap_or(usize::MAX);
        // A member ends when its best epoch is `patience` epochs back, or at the maximum.
        let epochs = best_epochs.iter().map(|best| (best + self.early.patience).min(most)).sum();
        let values: Option<Vec<f64>> =
            training.members.iter().map(|one| Some(one.best?.1)).collect();
        let measured = values.map(|values| Measured::of(best_epochs, &values));
        // A loss that is not finite is a network that has diverged, only not to the end.
        (measured.filter(|measured| measured.value.is_finite()), epochs)
    }
}

/// `tuned.csv.250-0.001-0.7-0.00001-4.checkpoint` for `tuned.csv`.
fn checkpoint(table: &Path, point: &Point) -> PathBuf {
    let mut name = table.as_os_str().to_owned();
    name.push(format!(".{point}.checkpoint"));
    name.into()
}

/// Passes on what a run tells, and on the way that the search was stopped.
struct Watch<'a>(&'a Search<'a>);

impl train::Observer for Watch<'_> {
    fn phase(&self, phase: Phase, members: usize, examples: usize, epochs: Option<usize>) {
        self.0.is_halted();
        self.0.observer.phase(phase, members, examples, epochs);
    }

    fn examples(&self, count: usize) {
        self.0.is_halted();
        self.0.observer.examples(count);
    }

    fn epoch(&self, record: &EpochRecord) {
        self.0.observer.epoch(record);
    }

    fn broken_labels(&self, broken: &BrokenLabels) {
        self.0.observer.broken_labels(broken);
    }

    fn resumed(&self, phase: Phase, epoch: usize) {
        self.0.observer.resumed(phase, epoch);
    }
}
