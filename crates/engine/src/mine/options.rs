//! What to mine, and how far to look.

use super::error::MineError;

/// What to mine. Setting a field that is out of range is found by [`mine`](super::mine).
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The least share of the rows in which a body must hold, from 0 to 1. A body must hold in at
    /// least one row whatever this says, so 0, the default, means: one row. Some published bodies
    /// hold in one row of 2,417.
    pub min_support: f64,
    /// The least share of a body's rows in which the head must hold, above 0 and up to 1, the
    /// default: a rule without exception.
    pub min_confidence: f64,
    /// The most literals in a body, up to [`Options::LONGEST_BODY`]; 0 mines facts only. 3 unless
    /// set.
    pub max_body: usize,
    /// Whether bodies may hold negated labels. Not unless set.
    pub negation: bool,
    /// Whether rules stay that close a cycle through a negation. Not unless set: what is mined is
    /// then a stratified program.
    pub keep_unstratified: bool,
    /// The most rules to find, before stratification: what bounds the memory. A million unless set.
    pub max_rules: usize,
    /// The most pairs of a body and a head to look at: what bounds the time. A thousand million
    /// unless set: one to ten minutes for 6,000 rows on two cores (`--bench mine` looks at 2 to 16
    /// million a second, the fewer the longer the bodies and the lower the confidence).
    pub max_bodies: u64,
}

impl Options {
    /// The longest body that can be asked for.
    pub const LONGEST_BODY: usize = 16;

    pub(super) fn check(&self) -> Result<(), MineError> {
        if !(0.0..=1.0).contains(&self.min_support) {
            return Err(MineError::BadSupport { given: self.min_support });
        }
        if !(self.min_confidence > 0.0 && self.min_confidence <= 1.0) {
            return Err(MineError::BadConfidence { given: self.min_confidence });
        }
        if self.max_body > Self::LONGEST_BODY {
            return Err(MineError::BodyTooLong { given: self.max_body });
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            min_support: 0.0,
            min_confidence: 1.0,
            max_body: 3,
            negation: false,
            keep_unstratified: false,
            max_rules: 1_000_000,
            max_bodies: 1_000_000_000,
        }
    }
}
