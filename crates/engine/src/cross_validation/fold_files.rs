//! The files in which folds are kept until all are done: one model and one checkpoint each, beside the
//! checkpoint of the final fit.

use std::path::{Path, PathBuf};

use crate::configuration::Configuration;
use crate::model::Model;
use crate::train::{RunPaths, TrainError};

/// Where the folds of a run are kept; nowhere if the run keeps no checkpoint.
pub(super) struct FoldFiles {
    base: Option<PathBuf>,
    resume: bool,
    folds: usize,
}

impl FoldFiles {
    pub(super) fn new(paths: &RunPaths, folds: usize) -> Self {
        Self { base: paths.checkpoint.clone(), resume: paths.resume, folds }
    }

    /// `M.rulebound.checkpoint.fold1` for the first fold.
    fn model(&self, fold: usize) -> Option<PathBuf> {
        self.base.as_deref().map(|base| with_suffix(base, &format!("fold{}", fold + 1)))
    }

    /// The checkpoint of the fit of a fold.
    pub(super) fn checkpoint(&self, fold: usize) -> Option<PathBuf> {
        self.model(fold).map(|path| with_suffix(&path, "checkpoint"))
    }

    /// Returns an error if folds of an unfinished run exist and are not to be resumed.
    pub(super) fn expect_none_unless_resumed(&self) -> Result<(), TrainError> {
        let models = (0..self.folds).filter_map(|fold| self.model(fold));
        match models.into_iter().find(|path| path.exists()) {
            Some(path) if !self.resume => Err(TrainError::Unfinished { path }),
            _ => Ok(()),
        }
    }

    /// The model of a fold that is done.
    pub(super) fn load(
        &self,
        fold: usize,
        configuration: &Configuration,
        identity: &str,
    ) -> Result<Option<Model>, TrainError> {
        let Some(path) = self.model(fold).filter(|path| self.resume && path.exists()) else {
            return Ok(None);
        };
        let model = Model::load(&path)?;
        let mut differences = Vec::new();
        if model.configuration() != configuration {
            differences.push("the configuration".to_owned());
        }
        if model.source().and_then(|memory| memory.checksum.as_deref()) != Some(identity) {
            differences.push("the data".to_owned());
        }
        if differences.is_empty() {
            return Ok(Some(model));
        }
        Err(TrainError::OtherRun { path, differences })
    }

    pub(super) fn save(&self, fold: usize, model: &Model) -> Result<(), TrainError> {
        if let Some(path) = self.model(fold) {
            model.save(&path)?;
        }
        if let Some(path) = self.checkpoint(fold) {
            std::fs::remove_file(path).ok();
        }
        Ok(())
    }

    /// Removes the models; the run is done.
    pub(super) fn remove(&self) {
        for path in (0..self.folds).filter_map(|fold| self.model(fold)) {
            std::fs::remove_file(path).ok();
        }
    }
}

/// Removes what an unfinished run with this checkpoint and this many folds has kept of them.
pub fn discard_folds(checkpoint: &Path, folds: usize) {
    let paths = RunPaths { checkpoint: Some(checkpoint.to_path_buf()), ..RunPaths::default() };
    let files = FoldFiles::new(&paths, folds);
    files.remove();
    for path in (0..folds).filter_map(|fold| files.checkpoint(fold)) {
        std::fs::remove_file(path).ok();
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
