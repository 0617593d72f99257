//! Errors of a reproduction.

use std::path::PathBuf;

use crate::source::SourceError;
use rulebound::blend::BlendError;
use rulebound::evaluate::EvaluateError;
use rulebound::model::ModelError;
use rulebound::train::TrainError;
use rulebound_io::output::OutputError;
use rulebound_io::table::TableMismatch;

/// Why a reproduction was not completed. Finished results are always kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// Data sets of the paper are missing.
    #[error("{} {} missing: {}", .names.len(), if .names.len() == 1 { "data set of the paper is" } else { "data sets of the paper are" }, .names.join(", "))]
    Absent {
        /// The data sets.
        names: Vec<String>,
        /// The folder where the first was expected.
        tried: PathBuf,
    },
    /// The run was stopped.
    #[error("stopped after {done} of {cells} runs")]
    Stopped {
        /// Finished runs.
        done: usize,
        /// Runs in the plan.
        cells: usize,
    },
    /// The file is not a table of results.
    #[error("{}: {what}", .path.display())]
    NotResults {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: TableMismatch,
    },
    /// A file of the folder cannot be read or written.
    #[error("cannot use {}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A set cannot be read.
    #[error(transparent)]
    Data(#[from] SourceError),
    /// A network cannot be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A blend cannot be trained.
    #[error(transparent)]
    Blend(BlendError),
    /// Predictions cannot be measured.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A model or a report cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A saved model cannot be read.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl From<BlendError> for ReproduceError {
    fn from(error: BlendError) -> Self {
        match error {
            BlendError::Train(error) => Self::Train(error),
            error => Self::Blend(error),
        }
    }
}
