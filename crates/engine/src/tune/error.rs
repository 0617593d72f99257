//! Errors of tuning.

use std::path::PathBuf;

use crate::table::TableMismatch;
use crate::train::TrainError;

/// Why a search was not completed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// Nothing is monitored, so nothing can be compared.
    #[error("tuning needs early stopping: without validation there is nothing to compare")]
    NoMonitor,
    /// The search was stopped; the table keeps the finished trials.
    #[error("stopped after {done} of {points} points")]
    Stopped {
        /// Finished points.
        done: usize,
        /// Points in the search.
        points: usize,
    },
    /// The table belongs to a search with other data or settings.
    #[error("{} belongs to another search: {}", .path.display(), .differences.join("; "))]
    OtherSearch {
        /// The table.
        path: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// The file is not a table of trials.
    #[error("{}: {what}", .path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: TableMismatch,
    },
    /// Another process is writing the table.
    #[error("{} is being written by another search", .path.display())]
    InUse {
        /// The table.
        path: PathBuf,
    },
    /// The table cannot be read or written.
    #[error("cannot store trials in {}", .path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A trial failed for a reason that would make every other trial fail too.
    #[error(transparent)]
    Train(#[from] TrainError),
}
