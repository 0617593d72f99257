//! What can go wrong in a reproduction.

use std::path::PathBuf;

use crate::source::SourceError;
use rulebound::evaluate::EvaluateError;
use rulebound::model::ModelError;
use rulebound::output::OutputError;
use rulebound::table::TableMismatch;
use rulebound::train::TrainError;

/// Why a reproduction did not end. Results that were finished are kept in every case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// Sets of the paper are not there.
    #[error("{} {} not there: {}", .names.len(), if .names.len() == 1 { "set of the paper is" } else { "sets of the paper are" }, .names.join(", "))]
    Absent {
        /// The sets.
        names: Vec<String>,
        /// The folder of the first that was looked for.
        tried: PathBuf,
    },
    /// The run was stopped.
    #[error("stopped after {done} of {cells} networks")]
    Stopped {
        /// Networks that are finished.
        done: usize,
        /// Networks of the plan.
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
        /// What the system said.
        source: std::io::Error,
    },
    /// A set cannot be read.
    #[error(transparent)]
    Data(#[from] SourceError),
    /// A network cannot be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Predictions cannot be measured.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A model or a report cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A model that was kept cannot be read again.
    #[error(transparent)]
    Model(#[from] ModelError),
}
