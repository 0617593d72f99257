//! The files in which the fits of a run of several are kept until all are done: one model and one
//! checkpoint each, beside the checkpoint of the run.

use std::path::{Path, PathBuf};

use super::error::TrainError;
use super::paths::RunPaths;
use super::state::fingerprint::fingerprint;
use super::trainer::Trainer;
use crate::configuration::Configuration;
use crate::dataset::{Dataset, SourceMemory};
use crate::model::Model;

/// Where the fits of a run are kept, by name; nowhere if the run keeps no checkpoint.
#[derive(Debug)]
pub(crate) struct KeptModels {
    paths: RunPaths,
    names: Vec<String>,
}

impl KeptModels {
    /// The fits with these names, `M.rulebound.checkpoint.NAME` each.
    pub fn new(paths: &RunPaths, names: impl IntoIterator<Item = String>) -> Self {
        Self { paths: paths.clone(), names: names.into_iter().collect() }
    }

    fn model(&self, name: &str) -> Option<PathBuf> {
        self.paths.checkpoint.as_deref().map(|base| with_suffix(base, name))
    }

    fn checkpoint(&self, name: &str) -> Option<PathBuf> {
        self.model(name).map(|path| with_suffix(&path, "checkpoint"))
    }

    /// Returns an error if fits of an unfinished run exist and are not to be resumed.
    pub fn expect_none_unless_resumed(&self) -> Result<(), TrainError> {
        let models = self.names.iter().filter_map(|name| self.model(name));
        match models.into_iter().find(|path| path.exists()) {
            Some(path) if !self.paths.resume => Err(TrainError::Unfinished { path }),
            _ => Ok(()),
        }
    }

    /// The model of a fit: from its file if it was finished before.
    pub fn fit(
        &self,
        name: &str,
        trainer: &Trainer<'_>,
        configuration: &Configuration,
        data: &Dataset,
    ) -> Result<Model, TrainError> {
        let identity = fingerprint(data);
        if let Some(model) = self.load(name, configuration, &identity)? {
            return Ok(model);
        }
        let paths = RunPaths { checkpoint: self.checkpoint(name), log: None, ..self.paths.clone() };
        let trainer = trainer.clone().configuration(configuration.clone()).paths(paths);
        let memory = SourceMemory { checksum: Some(identity), ..SourceMemory::default() };
        let model = trainer.fit(data)?.with_source(memory);
        if let Some(path) = self.model(name) {
            model.save(&path)?;
        }
        if let Some(path) = self.checkpoint(name) {
            std::fs::remove_file(path).ok();
        }
        Ok(model)
    }

    /// The model of a fit that is done.
    fn load(
        &self,
        name: &str,
        configuration: &Configuration,
        identity: &str,
    ) -> Result<Option<Model>, TrainError> {
        let path = self.model(name).filter(|path| self.paths.resume && path.exists());
        let Some(path) = path else { return Ok(None) };
        let model = Model::load(&path)?;
        let mut differences = Vec::new();
        if model.configuration() != configuration {
            differences.push("the configuration".to_owned());
        }
        if model.source().and_then(|memory| memory.checksum.as_deref()) != Some(identity) {
            differences.push("the data".to_owned());
        }
        match differences.is_empty() {
            true => Ok(Some(model)),
            false => Err(TrainError::OtherRun { path, differences }),
        }
    }

    /// Removes the models; the run is done.
    pub fn remove(&self) {
        for path in self.names.iter().filter_map(|name| self.model(name)) {
            std::fs::remove_file(path).ok();
        }
    }

    /// Removes models and checkpoints: the run is to start over.
    pub fn discard(&self) {
        self.remove();
        for path in self.names.iter().filter_map(|name| self.checkpoint(name)) {
            std::fs::remove_file(path).ok();
        }
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
