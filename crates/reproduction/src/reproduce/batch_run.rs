//! A batch on its way to its rows: trained with a checkpoint, measured, its model saved if it is
//! drawn later.

use std::time::{Duration, Instant};

use super::error::ReproduceError;
use super::folder::Folder;
use super::measure::{Measurement, logged_seconds};
use super::plan::Batch;
use super::row::Row;
use super::watch::Watch;
use rulebound::dataset::Dataset;
use rulebound::device::Device;
use rulebound::train::{RunPaths, TrainError, Trainer};

/// A batch, and where and with what it is trained.
pub(super) struct BatchRun<'a> {
    pub batch: &'a Batch,
    pub folder: &'a Folder,
    pub device: &'a Device,
    pub checkpoint_interval: Duration,
    pub watch: &'a Watch<'a>,
}

impl<'a> BatchRun<'a> {
    /// Where the run keeps its checkpoint and log.
    pub fn paths(&self) -> RunPaths {
        let batch = self.batch;
        let log = || self.folder.log(batch.subject, batch.system, batch.ensemble_seeds());
        RunPaths {
            checkpoint: Some(self.folder.checkpoint(batch)),
            resume: true,
            // The built-in problems have very many short epochs; only networks have records.
            log: (!batch.subject.is_drawn() && batch.system.is_network()).then(log),
            checkpoint_interval: self.checkpoint_interval,
            timestamps: false,
        }
    }

    /// The kind of device that trains the networks; everything else is trained on the CPU.
    pub fn device_kind(&self) -> &'static str {
        let uses_gpu = self.batch.learners().any(|learner| learner.method.trains_on_gpu());
        if uses_gpu { self.device.kind() } else { Device::Cpu.kind() }
    }

    /// A trainer that is watched.
    pub fn trainer(&self) -> Trainer<'a> {
        Trainer::new().device(self.device).observer(self.watch).stop(self.watch.halt())
    }

    /// Trains the batch and measures its members. A blend is not trained here.
    pub fn rows(&self, data: &Dataset) -> Result<Vec<Row>, ReproduceError> {
        let (batch, paths, start) = (self.batch, self.paths(), Instant::now());
        let trainer =
            self.trainer().configuration(batch.configuration.clone()).paths(paths.clone());
        let model = match trainer.fit(data) {
            // From another kind of device or other data, or damaged: useless.
            Err(TrainError::OtherRun { .. } | TrainError::Checkpoint(_)) => {
                paths.checkpoint.iter().for_each(|path| {
                    std::fs::remove_file(path).ok();
                });
                trainer.fit(data)
            }
            result => result,
        }?;
        let wall = start.elapsed().as_secs_f64();
        let mut seconds = self.watch.seconds();
        // A log includes the epochs before an interruption.
        seconds.extend(paths.log.as_deref().map(logged_seconds).unwrap_or_default());
        let is_network = batch.system.is_network();
        let seconds_of = |seed: u64| match is_network {
            true => seconds.get(&seed).copied().unwrap_or(0.0),
            false => wall,
        };
        let measurement = Measurement::new(batch, &model, data, self.device_kind())?;
        let rows = measurement.members(&seconds_of)?;
        if batch.subject.is_drawn() {
            let seed = batch.configuration.seed;
            model.save(self.folder.model(batch.subject, batch.system, seed))?;
        }
        Ok(rows)
    }
}
