//! What can be wrong with a model file.

use std::io;
use std::path::PathBuf;

/// Why a model or a checkpoint cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is some other file.
    #[error("{} is not a rulebound {kind}", .path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What was expected: `model` or `checkpoint`.
        kind: &'static str,
    },
    /// It ends too early.
    #[error("{} is cut off: it has {found} bytes of {expected}", .path.display())]
    CutOff {
        /// The file.
        path: PathBuf,
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// Its bytes are not those that were written.
    #[error("{} is damaged: its contents do not have its checksum", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// It was written by a later version.
    #[error("{} has format {found}; this rulebound reads formats up to {supported}", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The latest format that is read.
        supported: u32,
    },
    /// It is whole, but its parts do not fit together.
    #[error("{}: {what}", .path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
}
