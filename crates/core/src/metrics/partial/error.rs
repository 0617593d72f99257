//! Why summaries cannot be made, merged or read.

use super::super::error::MetricError;

/// Why a summary of metrics cannot be made, merged or read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartialError {
    /// Rows cannot be added.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// Scores cannot be cut to so few or so many bits.
    #[error("scores can be cut to 8 to 32 bits, not {0}")]
    Bits(u32),
    /// The summaries are of different classes.
    #[error("the summaries count different classes; all partitions need the same")]
    Classes,
    /// The scores of the summaries are cut differently.
    #[error(
        "the scores of one summary are cut to {0}, those of the other to {1}; all partitions need the same"
    )]
    Resolutions(super::Resolution, super::Resolution),
    /// The bytes are not those of such a summary.
    #[error("these bytes are not a summary of {0}")]
    NotASummary(&'static str),
    /// The bytes are of another version.
    #[error("this is version {0} of a summary; this program reads version 1")]
    Version(u64),
    /// The bytes are incomplete or changed.
    #[error("the summary is damaged: {0}")]
    Damaged(&'static str),
}
