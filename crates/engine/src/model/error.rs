//! Errors of model files.

use std::io;
use std::path::PathBuf;

/// Why a model or a checkpoint cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum ModelError {
    /// The file cannot be read.
    #[error("cannot read {}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    /// It is not a file of the expected kind.
    #[error("{} is not a rulebound {kind}", .path.display())]
    OtherKind {
        path: PathBuf,
        /// What was expected: `model` or `checkpoint`.
        kind: &'static str,
    },
    /// It ends too early.
    #[error("{} is truncated: it has {found} of {expected} bytes", .path.display())]
    CutOff {
        path: PathBuf,
        /// The number of bytes it should have.
        expected: u64,
        found: u64,
    },
    /// There is data after its end.
    #[error("{} is damaged: it is longer than the expected {expected} bytes", .path.display())]
    TooLong {
        path: PathBuf,
        /// The number of bytes it should have.
        expected: u64,
    },
    /// Its header is larger than any that can be read or written.
    #[error("{} has a header of {found} bytes; the maximum is {most}", .path.display())]
    HeaderTooLarge {
        path: PathBuf,
        /// The size of its header in bytes.
        found: u64,
        /// The maximum size in bytes.
        most: u64,
    },
    /// Its bytes are not the ones that were written.
    #[error("{} is damaged: its checksum does not match its contents", .path.display())]
    Damaged { path: PathBuf },
    /// It was written by a newer version.
    #[error("{} was written by a newer version of rulebound ({})", .path.display(), newer(.section.as_deref(), *.version))]
    Newer {
        path: PathBuf,
        /// The section that this version cannot read; none if it is the format of the file.
        section: Option<String>,
        /// The version of the section or of the format.
        version: u32,
    },
    /// It is complete, but its parts are inconsistent.
    #[error("{}: {what}", .path.display())]
    Inconsistent { path: PathBuf, what: String },
}

fn newer(section: Option<&str>, version: u32) -> String {
    match section {
        Some(section) => format!("section `{section}`, version {version}"),
        None => format!("format {version}"),
    }
}
