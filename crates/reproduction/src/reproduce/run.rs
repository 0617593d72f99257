//! A plan to results: batch after batch, each kept as soon as it is measured.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::claim::Claim;
use super::error::ReproduceError;
use super::folder::Folder;
use super::known::Known;
use super::measure::{logged_seconds, measure};
use super::observer::{Failed, Observer};
use super::plan::{Batch, Plan};
use super::subject::Subject;
use crate::source::SourceError;
use rulebound::device::Device;
use rulebound::train::{self, RunPaths, TrainError, Trainer};

/// What is done, and with what.
#[derive(Clone, Copy, Debug)]
pub struct Reproduction<'a> {
    /// What is trained.
    pub plan: &'a Plan,
    /// Where everything is kept.
    pub folder: &'a Folder,
    /// Where the sets of the paper are; see [`DataFolder`](crate::DataFolder).
    pub data_dir: Option<&'a Path>,
    /// What trains.
    pub device: &'a Device,
    /// Networks of built-in problems that are trained at the same time; 0 is taken for 1.
    pub jobs: usize,
    /// The time between two checkpoints.
    pub checkpoint_interval: Duration,
}

/// Trains and measures what has no results yet. What another process is at is left to it.
///
/// ```
/// use rulebound::device::Device;
/// use rulebound_reproduction::{Folder, Plan, PlanRequest, Reproduction, Target, reproduce};
/// use rulebound::train::{Silent, Stopping};
/// # use std::sync::atomic::AtomicBool;
/// # let folder = tempfile::tempdir()?;
/// let mut plan = Plan::new(&PlanRequest {
///     targets: vec![Target::NineRectangles],
///     sets: vec![],
///     seeds: 1,
///     searches_epochs: false,
/// })?;
/// for batch in &mut plan.batches {
///     batch.configuration.stopping = Stopping::Epochs(2);
/// }
/// let folder = Folder::new(folder.path());
/// let request = Reproduction {
///     plan: &plan,
///     folder: &folder,
///     data_dir: None,
///     device: &Device::Cpu,
///     jobs: 1,
///     checkpoint_interval: std::time::Duration::from_secs(10),
/// };
/// let failed = reproduce(&request, &Silent, &AtomicBool::new(false))?;
/// assert!(failed.is_empty());
/// assert_eq!(folder.results().read()?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Gives the batches that could not be done, for example because their network diverged, does not
/// fit into memory, or its set cannot be read.
///
/// # Errors
/// When sets are absent, the folder cannot be used, and when `stop` was set; see
/// [`ReproduceError`]. What was finished is kept in every case.
pub fn reproduce(
    request: &Reproduction<'_>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<Failed>, ReproduceError> {
    request.folder.make()?;
    let known = Known::of(&request.folder.results().read()?);
    let open: Vec<&Batch> =
        request.plan.batches.iter().filter(|batch| !known.has_all(batch)).collect();
    expect_data(&open, request.data_dir)?;
    let cells = request.plan.cells();
    observer.begin(cells, known.cells(request.plan));
    let run = Run {
        request,
        observer,
        stop,
        halt: AtomicBool::new(false),
        failed: Mutex::default(),
        fatal: Mutex::default(),
    };
    let (small, large): (Vec<&Batch>, Vec<&Batch>) =
        open.into_iter().partition(|batch| batch.subject.is_drawn());
    run.work(&small, request.jobs);
    // Members of one run keep all threads busy by themselves.
    run.work(&large, 1);
    if let Some(error) = run.fatal.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    if stop.load(Ordering::Relaxed) {
        let known = Known::of(&request.folder.results().read()?);
        return Err(ReproduceError::Stopped { done: known.cells(request.plan), cells });
    }
    Ok(run.failed.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Refuses to begin what would fail after hours.
fn expect_data(batches: &[&Batch], data_dir: Option<&Path>) -> Result<(), ReproduceError> {
    let (mut names, mut tried) = (Vec::new(), None);
    for batch in batches {
        let Subject::Catalogue(entry) = batch.subject else { continue };
        match entry.folder(data_dir) {
            Ok(_) => {}
            Err(SourceError::Absent { entry, folder }) => {
                tried = tried.or(Some(folder));
                let name = entry.name.to_owned();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    match tried {
        Some(tried) => Err(ReproduceError::Absent { names, tried }),
        None => Ok(()),
    }
}

struct Run<'a> {
    request: &'a Reproduction<'a>,
    observer: &'a dyn Observer,
    /// Set from outside.
    stop: &'a AtomicBool,
    /// What runs look at: set when `stop` is, and when nothing can go on.
    halt: AtomicBool,
    failed: Mutex<Vec<Failed>>,
    fatal: Mutex<Option<ReproduceError>>,
}

impl Run<'_> {
    /// Does batches, so many at a time, until there are none left.
    fn work(&self, batches: &[&Batch], jobs: usize) {
        let next = AtomicUsize::new(0);
        let work = || {
            while !self.is_halted() {
                let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                if let Err(error) = self.attempt(batch) {
                    self.judge(batch, error);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs.clamp(1, batches.len().max(1)) {
                scope.spawn(work);
            }
            work();
        });
    }

    fn is_halted(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            self.halt.store(true, Ordering::Relaxed);
        }
        self.halt.load(Ordering::Relaxed)
    }

    /// Whether the others can go on without this batch.
    fn judge(&self, batch: &Batch, error: ReproduceError) {
        match error {
            ReproduceError::Train(TrainError::Stopped { .. }) => {}
            // What is wrong with one batch is not wrong with the others.
            ReproduceError::Train(_) | ReproduceError::Data(_) | ReproduceError::Evaluate(_) => {
                let failed = Failed { batch: batch.clone(), error };
                self.observer.failed(&failed);
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).push(failed);
            }
            error => {
                self.halt.store(true, Ordering::Relaxed);
                let mut fatal = self.fatal.lock().unwrap_or_else(PoisonError::into_inner);
                fatal.get_or_insert(error);
            }
        }
    }

    /// Trains a batch, measures it and keeps the rows.
    fn attempt(&self, batch: &Batch) -> Result<(), ReproduceError> {
        let Reproduction { folder, device, .. } = self.request;
        let Some(_claim) = Claim::take(&folder.claim(batch))? else {
            self.observer.passed_over(batch);
            return Ok(());
        };
        let results = folder.results();
        // Whoever had the claim before may have finished.
        let known = Known::of(&results.read()?);
        if known.has_all(batch) {
            self.observer.passed_over(batch);
            return Ok(());
        }
        self.observer.started(batch);
        let data = batch.subject.read(self.request.data_dir, batch.configuration.seed)?;
        let checkpoint = folder.checkpoint(batch);
        let log = folder.log(batch.subject, batch.method(), batch.together());
        let places = RunPaths {
            checkpoint: Some(checkpoint.clone()),
            resume: true,
            // The built-in problems have very many short epochs.
            log: (!batch.subject.is_drawn()).then(|| log.clone()),
            checkpoint_interval: self.request.checkpoint_interval,
        };
        let watch = Watch { run: self, seconds: Mutex::default() };
        let go = || {
            Trainer::new()
                .configuration(batch.configuration.clone())
                .device(device)
                .paths(places.clone())
                .observer(&watch)
                .stop(&self.halt)
                .fit(&data)
        };
        let model = match go() {
            // Of another kind of device or of other data, or damaged: of no use.
            Err(TrainError::OtherRun { .. } | TrainError::Checkpoint(_)) => {
                std::fs::remove_file(&checkpoint).ok();
                go()
            }
            result => result,
        }?;
        let mut seconds = watch.seconds.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A log also has the epochs before a stop.
        seconds.extend(logged_seconds(&log));
        let mut rows = measure(batch, &model, &data, device.kind(), &seconds)?;
        // A process with another number of seeds may have written some of them meanwhile.
        let known = Known::of(&results.read()?);
        rows.retain(|row| !known.has(batch, &row.method, row.seeds));
        if batch.subject.is_drawn() {
            let seed = batch.configuration.seed;
            model.save(folder.model(batch.subject, batch.method(), seed))?;
        }
        results.append(&rows)?;
        std::fs::remove_file(checkpoint).ok();
        self.observer.finished(batch, &rows);
        Ok(())
    }
}

/// Passes on what a run tells, and on the way that all is to stop.
struct Watch<'a> {
    run: &'a Run<'a>,
    /// How long the epochs of each seed took.
    seconds: Mutex<HashMap<u64, f64>>,
}

impl train::Observer for Watch<'_> {
    fn phase(&self, phase: train::Phase, members: usize, examples: usize, epochs: Option<usize>) {
        self.run.is_halted();
        self.run.observer.phase(phase, members, examples, epochs);
    }

    fn examples(&self, count: usize) {
        self.run.is_halted();
        self.run.observer.examples(count);
    }

    fn epoch(&self, record: &train::EpochRecord) {
        let mut seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        *seconds.entry(record.seed).or_insert(0.0) += record.seconds;
        drop(seconds);
        self.run.observer.epoch(record);
    }

    fn broken_labels(&self, broken: &train::BrokenLabels) {
        self.run.observer.broken_labels(broken);
    }

    fn resumed(&self, phase: train::Phase, epoch: usize) {
        self.run.observer.resumed(phase, epoch);
    }
}
