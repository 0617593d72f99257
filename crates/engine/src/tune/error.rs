//! Errors of tuning.

use std::path::PathBuf;

use crate::table::TableMismatch;
use crate::train::TrainError;

/// Why a search was not completed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum TuneError {
    /// Nothing is monitored, so nothing can be compared.
    #[error("tuning needs early stopping: without validation there is nothing to compare")]
    NoMonitor,
    /// The search was stopped; the table keeps the finished trials.
    #[error("stopped after {done} of {points} points")]
    Stopped { done: usize, points: usize },
    /// The table belongs to a search with other data or settings.
    #[error("{} belongs to another search: {}", .path.display(), .differences.join("; "))]
    OtherSearch { path: PathBuf, differences: Vec<String> },
    /// The file is not a table of trials.
    #[error("{}: {what}", .path.display())]
    NotATable {
        path: PathBuf,
        /// What is wrong, and where.
        what: TableMismatch,
    },
    /// Another process is writing the table.
    #[error("{} is being written by another search", .path.display())]
    InUse { path: PathBuf },
    /// The table cannot be read or written.
    #[error("cannot store trials in {}", .path.display())]
    Table { path: PathBuf, source: std::io::Error },
    /// A trial failed for a reason that would make every other trial fail too.
    #[error(transparent)]
    Train(#[from] TrainError),
}
