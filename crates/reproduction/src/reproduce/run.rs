//! From a plan to results: batch by batch, each saved as soon as it is measured.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::batch_run::BatchRun;
use super::blended;
use super::claim::Claim;
use super::error::ReproduceError;
use super::folder::Folder;
use super::known::Known;
use super::observer::{Failed, Observer};
use super::plan::{Batch, Plan};
use super::subject::Subject;
use super::system::System;
use super::watch::{Stops, Watch};
use crate::source::SourceError;
use rulebound::device::Device;
use rulebound::train::TrainError;

/// What to reproduce, where and with what.
#[derive(Clone, Copy, Debug)]
pub struct Reproduction<'a> {
    /// What to train.
    pub plan: &'a Plan,
    /// Where everything is stored.
    pub folder: &'a Folder,
    /// The folder with the data sets of the paper; see [`DataFolder`](crate::DataFolder).
    pub data_dir: Option<&'a Path>,
    /// The device to train on.
    pub device: &'a Device,
    /// Networks of built-in problems to train at the same time; 0 counts as 1.
    pub jobs: usize,
    /// The time between two checkpoints.
    pub checkpoint_interval: Duration,
}

/// Trains and measures what has no results yet. Batches that another process is training are left
/// to it.
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
///     systems: vec![],
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
/// Returns the batches that failed, for example because their network diverged or does not fit into
/// memory, or because their data set cannot be read.
///
/// # Errors
/// If data sets are missing, the folder cannot be used, or `stop` was set; see [`ReproduceError`].
/// Finished results are always kept.
pub fn reproduce(
    request: &Reproduction<'_>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<Failed>, ReproduceError> {
    request.folder.make()?;
    let known = Known::from_rows(&request.folder.results().read()?);
    let open: Vec<&Batch> =
        request.plan.batches.iter().filter(|batch| !known.has_all(batch)).collect();
    expect_data(&open, request.data_dir)?;
    let cells = request.plan.cells();
    observer.begin(cells, known.cells(request.plan));
    let run = Run {
        request,
        observer,
        stops: Stops::new(stop),
        failed: Mutex::default(),
        fatal: Mutex::default(),
    };
    let (small, large): (Vec<&Batch>, Vec<&Batch>) =
        open.into_iter().partition(|batch| batch.subject.is_drawn());
    run.work(&small, request.jobs);
    // The members of one run alone keep all threads busy.
    run.work(&large, 1);
    if let Some(error) = run.fatal.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    if stop.load(Ordering::Relaxed) {
        let known = Known::from_rows(&request.folder.results().read()?);
        return Err(ReproduceError::Stopped { done: known.cells(request.plan), cells });
    }
    Ok(run.failed.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Detects up front what would otherwise fail after hours.
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
    stops: Stops<'a>,
    failed: Mutex<Vec<Failed>>,
    fatal: Mutex<Option<ReproduceError>>,
}

impl Run<'_> {
    /// Processes batches, `jobs` at a time, until there are none left.
    fn work(&self, batches: &[&Batch], jobs: usize) {
        let next = AtomicUsize::new(0);
        let work = || {
            while !self.stops.is_halted() {
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

    /// Decides whether the other batches can continue after an error.
    fn judge(&self, batch: &Batch, error: ReproduceError) {
        match error {
            ReproduceError::Train(TrainError::Stopped { .. }) => {}
            // These errors affect one batch, not the others.
            ReproduceError::Train(_)
            | ReproduceError::Blend(_)
            | ReproduceError::Data(_)
            | ReproduceError::Evaluate(_) => {
                let failed = Failed { batch: batch.clone(), error };
                self.observer.failed(&failed);
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).push(failed);
            }
            error => {
                self.stops.halt.store(true, Ordering::Relaxed);
                let mut fatal = self.fatal.lock().unwrap_or_else(PoisonError::into_inner);
                fatal.get_or_insert(error);
            }
        }
    }

    /// Trains a batch, measures it and saves the rows.
    fn attempt(&self, batch: &Batch) -> Result<(), ReproduceError> {
        let Reproduction { folder, device, checkpoint_interval, .. } = *self.request;
        let Some(_claim) = Claim::take(&folder.claim(batch))? else {
            self.observer.skipped(batch);
            return Ok(());
        };
        let results = folder.results();
        // The previous holder of the claim may have finished.
        let known = Known::from_rows(&results.read()?);
        if known.has_all(batch) {
            self.observer.skipped(batch);
            return Ok(());
        }
        self.observer.started(batch);
        let data = batch.subject.read(self.request.data_dir, batch.configuration.seed)?;
        let watch = Watch::new(self.observer, &self.stops);
        let run = BatchRun { batch, folder, device, checkpoint_interval, watch: &watch };
        let mut rows = match batch.system {
            System::Blend => blended::rows(&run, &data)?,
            System::Own(_) | System::AsPaper(_) => run.rows(&data)?,
        };
        // A process with another number of seeds may have written some of them in the meantime.
        let known = Known::from_rows(&results.read()?);
        rows.retain(|row| !known.has(batch, &row.method, row.seeds));
        results.append(&rows)?;
        std::fs::remove_file(folder.checkpoint(batch)).ok();
        self.observer.finished(batch, &rows);
        Ok(())
    }
}
