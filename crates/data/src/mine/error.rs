//! Why nothing was mined.

use std::ops::Range;

use super::options::Options;

/// Why nothing was mined.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum MineError {
    /// The minimum support is not between 0 and 1.
    #[error("the minimum support must be from 0 to 1, not {given}")]
    BadSupport { given: f64 },
    /// The minimum confidence is not between 0 and 1, or 0, which every rule reaches.
    #[error("the minimum confidence must be above 0 and at most 1, not {given}")]
    BadConfidence { given: f64 },
    /// The requested bodies are too long.
    #[error(
        "bodies of up to {given} literals are too long; the limit is {}",
        Options::LONGEST_BODY
    )]
    BodyTooLong { given: usize },
    /// The requested rows are not in the table.
    #[error("rows {} to {} requested, but the table has {rows} rows", asked.start, asked.end)]
    NoSuchRows { asked: Range<usize>, rows: usize },
    /// There are more rules than the limit. If both limits are exceeded, either may be reported.
    #[error(
        "there are more than {limit} rules; raise the minimum support or confidence, ask for \
         shorter bodies, or raise the limit"
    )]
    TooManyRules {
        /// [`Options::max_rules`].
        limit: usize,
    },
    /// There are more bodies to examine than the limit. If both limits are exceeded, either may be
    /// reported.
    #[error(
        "the search must examine more than {limit} bodies; raise the minimum support or confidence, \
         ask for shorter bodies, or raise the limit"
    )]
    TooManyBodies {
        /// [`Options::max_bodies`].
        limit: u64,
    },
}
