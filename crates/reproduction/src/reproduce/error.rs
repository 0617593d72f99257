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
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum ReproduceError {
    /// Data sets of the paper are missing.
    #[error("{} {} missing: {}", .names.len(), if .names.len() == 1 { "data set of the paper is" } else { "data sets of the paper are" }, .names.join(", "))]
    Absent {
        names: Vec<String>,
        /// The folder where the first was expected.
        tried: PathBuf,
    },
    /// The run was stopped.
    #[error("stopped after {done} of {cells} runs")]
    Stopped { done: usize, cells: usize },
    /// The file is not a table of results.
    #[error("{}: {what}", .path.display())]
    NotResults {
        path: PathBuf,
        /// What is wrong, and where.
        what: TableMismatch,
    },
    /// A file of the folder cannot be read or written.
    #[error("cannot use {}", .path.display())]
    File { path: PathBuf, source: std::io::Error },
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
