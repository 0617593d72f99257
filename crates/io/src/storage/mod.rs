//! Where large arrays are kept: in memory, or in a file.
//!
//! Rows that do not fit into memory are written to a temporary file that has no name, and are read through a
//! memory mapping: a [`StoredVec`] is a slice, wherever its numbers are. Invariants:
//!
//! - **Contents do not depend on the place.** What is computed from the rows has the same bits.
//! - **Memory stays bounded.** The pages of a file that a process has touched are let go after every
//!   [`RESIDENT`] bytes that it asks for; where it asks for neighbours, hardly more is mapped. For random rows the system maps what is around
//!   them too: up to all pages among which they are. It takes pages back when memory is needed for something else.
//! - **A full disk is an error, not a crash.** Space is reserved before it is written to. (A file system that copies what is
//!   written may still run out of it, and a disk may fail: then the system ends the process.)
//! - **Nothing is left behind.** The file has no name, so it is gone with the process, however that ends.

mod disk_vec;
mod stored_vec;

use std::path::PathBuf;

use crate::memory::ByteSize;

pub use self::disk_vec::RESIDENT;
pub use self::stored_vec::StoredVec;

/// Where the rows of a data set are kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// In memory.
    #[default]
    Memory,
    /// In temporary files in this folder.
    Disk(PathBuf),
}

impl Storage {
    /// Whether rows are kept in files.
    pub fn is_disk(&self) -> bool {
        matches!(self, Self::Disk(_))
    }
}

/// Why an array cannot grow.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum StorageError {
    /// The system gave no more memory.
    #[error("out of memory: {} could not be allocated", ByteSize(*bytes))]
    Memory {
        /// The bytes that were asked for.
        bytes: u64,
    },
    /// There can be no temporary file.
    #[error("cannot make a temporary file in {}: {reason}", folder.display())]
    Create {
        /// The folder of the file.
        folder: PathBuf,
        reason: String,
    },
    /// The temporary file cannot grow.
    #[error("cannot keep {} of rows in {}: {reason}", ByteSize(*bytes), folder.display())]
    Disk {
        /// The folder of the file.
        folder: PathBuf,
        /// How large the file should have been.
        bytes: u64,
        reason: String,
    },
}
