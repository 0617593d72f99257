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
    /// Something follows its end.
    #[error("{} is damaged: it is longer than the {expected} bytes that it should have", .path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// How many bytes it should have.
        expected: u64,
    },
    /// Its header is larger than any that is read or written.
    #[error("{} has a header of {found} bytes; at most {most} are possible", .path.display())]
    HeaderTooLarge {
        /// The file.
        path: PathBuf,
        /// Bytes of its header.
        found: u64,
        /// Bytes of the largest header.
        most: u64,
    },
    /// Its bytes are not those that were written.
    #[error("{} is damaged: its checksum does not match its contents", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// It was written by a later version.
    #[error("{} was written by a newer version of rulebound ({})", .path.display(), newer(.section.as_deref(), *.version))]
    Newer {
        /// The file.
        path: PathBuf,
        /// The section that this version cannot read; none where it is the format of the file.
        section: Option<String>,
        /// The version of the section or of the format.
        version: u32,
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

fn newer(section: Option<&str>, version: u32) -> String {
    match section {
        Some(section) => format!("section `{section}`, version {version}"),
        None => format!("format {version}"),
    }
}
