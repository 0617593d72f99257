//! The layout of the folder of a reproduction.

use std::path::{Path, PathBuf};

use super::error::ReproduceError;
use super::plan::Batch;
use super::results::Results;
use super::row::Seeds;
use super::subject::Subject;
use super::system::System;

/// The folder of a reproduction.
///
/// ```text
/// results.csv                       one line per network
/// systems.csv                       one line per run of another system
/// report.html                       the report
/// logs/yeast.ccn.0-9.log            epochs on the data sets of the paper, one JSON object per line
/// models/rectangles-5.ccn.0.rulebound   networks of the built-in problems
/// checkpoints/…                     of unfinished batches
/// claims/…                          of batches in progress
/// ```
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at this path, which need not exist.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Creates it with its subfolders.
    pub(super) fn make(&self) -> Result<(), ReproduceError> {
        for name in ["logs", "models", "checkpoints", "claims"] {
            let path = self.path.join(name);
            let made = std::fs::create_dir_all(&path);
            made.map_err(|source| ReproduceError::File { path, source })?;
        }
        Ok(())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The results.
    pub fn results(&self) -> Results {
        Results::in_folder(&self.path)
    }

    /// The report.
    pub fn report(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// The log of networks that were trained together on a data set of the paper.
    pub fn log(&self, subject: Subject, system: impl Into<System>, seeds: Seeds) -> PathBuf {
        let system = system.into();
        self.path.join("logs").join(format!("{subject}.{system}.{seeds}.log"))
    }

    /// The model of a network on a built-in problem.
    pub fn model(&self, subject: Subject, system: impl Into<System>, seed: u64) -> PathBuf {
        let system = system.into();
        self.path.join("models").join(format!("{subject}.{system}.{seed}.rulebound"))
    }

    pub(super) fn checkpoint(&self, batch: &Batch) -> PathBuf {
        self.path.join("checkpoints").join(format!("{batch}.{}.checkpoint", batch.digest()))
    }

    /// The model of a blend that is trained but not measured.
    pub(super) fn unmeasured(&self, batch: &Batch) -> PathBuf {
        self.path.join("checkpoints").join(format!("{batch}.{}.rulebound", batch.digest()))
    }

    pub(super) fn claim(&self, batch: &Batch) -> PathBuf {
        self.path.join("claims").join(format!("{batch}.{}", batch.digest()))
    }
}
