//! Why nothing was mined.

use std::ops::Range;

use super::options::Options;

/// Why nothing was mined.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum MineError {
    /// The minimum support is no share.
    #[error("the minimum support must be a share from 0 to 1, not {given}")]
    BadSupport {
        /// What was asked for.
        given: f64,
    },
    /// The minimum confidence is no share, or 0, which every rule reaches.
    #[error("the minimum confidence must be a share above 0 and up to 1, not {given}")]
    BadConfidence {
        /// What was asked for.
        given: f64,
    },
    /// Bodies longer than can be mined.
    #[error("bodies of up to {given} literals cannot be mined, at most {}", Options::LONGEST_BODY)]
    BodyTooLong {
        /// What was asked for.
        given: usize,
    },
    /// Rows that are not in the table.
    #[error("rows {} to {} of a table with {rows} rows", asked.start, asked.end)]
    NoSuchRows {
        /// What was asked for.
        asked: Range<usize>,
        /// How many rows there are.
        rows: usize,
    },
    /// There are more rules than may be found. Where both limits are passed, either may be told.
    #[error(
        "there are more than {limit} rules; ask for more support or confidence, or for shorter \
         bodies, or raise the limit"
    )]
    TooManyRules {
        /// [`Options::max_rules`].
        limit: usize,
    },
    /// There are more bodies to look at than is allowed. Where both limits are passed, either may
    /// be told.
    #[error(
        "the search must look at more than {limit} bodies; ask for more support or confidence, or \
         for shorter bodies, or raise the limit"
    )]
    TooManyBodies {
        /// [`Options::max_bodies`].
        limit: u64,
    },
}
