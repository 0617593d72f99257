//! What can go wrong in tuning.

use std::path::PathBuf;

use crate::table::TableMismatch;
use crate::train::TrainError;

/// Why a search did not end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// Nothing is monitored, so nothing can be compared.
    #[error("tuning needs early stopping: without validation there is nothing to compare")]
    NoMonitor,
    /// The search was stopped; the table keeps the trials that are finished.
    #[error("stopped after {done} of {points} points")]
    Stopped {
        /// Points that are finished.
        done: usize,
        /// Points of the search.
        points: usize,
    },
    /// The table is of a search with other data or settings.
    #[error("{} is of another search: {}", .path.display(), .differences.join("; "))]
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
    /// Another program has the table.
    #[error("{} is being written by another search", .path.display())]
    InUse {
        /// The table.
        path: PathBuf,
    },
    /// The table cannot be read or written.
    #[error("cannot keep trials in {}", .path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A trial could not be trained, nor could any other.
    #[error(transparent)]
    Train(#[from] TrainError),
}
