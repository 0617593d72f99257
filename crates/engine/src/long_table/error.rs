//! Why rules cannot be applied to a long table.

use std::path::PathBuf;

use rulebound_core::SparseError;

use crate::scores::ScoreError;
use crate::sparse::{CutError, SparseRowError};

/// Why rules cannot be applied to a long table. Rows are counted from 1, without the header.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LongTableError {
    /// The tables could not be read or written.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// A column is missing.
    #[error("{}: no column `{name}`", path.display())]
    NoColumn {
        /// The table.
        path: PathBuf,
        /// The column.
        name: String,
        /// Those that there are.
        columns: Vec<String>,
    },
    /// A class is not one of the rules.
    #[error("{}: row {row}: `{class}` is not a class of the rules", path.display())]
    UnknownClass {
        /// The table.
        path: PathBuf,
        /// The row.
        row: u64,
        /// The class.
        class: String,
        /// A class of the rules with nearly that name.
        near: Option<String>,
    },
    /// A row has no id.
    #[error("{}: row {row} has no id", path.display())]
    NoId {
        /// The table.
        path: PathBuf,
        /// The row.
        row: u64,
    },
    /// An id comes back after others.
    #[error("{}: row {row}: the id `{id}` was there before; the rows of an id must be one after the other", path.display())]
    Returned {
        /// The table.
        path: PathBuf,
        /// The row.
        row: u64,
        /// The id.
        id: String,
    },
    /// Ids are not sorted although they should be.
    #[error("{}: row {row}: the id `{id}` comes after `{before}`; the ids are not sorted", path.display())]
    Unsorted {
        /// The table.
        path: PathBuf,
        /// The row.
        row: u64,
        /// The id.
        id: String,
        /// The id before it.
        before: String,
    },
    /// The rows of an id cannot be made coherent.
    #[error("{}: row {row}, id `{id}`: {source}", path.display())]
    Group {
        /// The table.
        path: PathBuf,
        /// The row.
        row: u64,
        /// The id.
        id: String,
        /// Why.
        source: SparseRowError,
    },
    /// Rows cannot be cut.
    #[error(transparent)]
    Cut(#[from] CutError),
    /// The rules cannot be applied to lists.
    #[error(transparent)]
    Rules(#[from] SparseError),
    /// The caller asked to stop.
    #[error("stopped; nothing was written")]
    Stopped,
}
