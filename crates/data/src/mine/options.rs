//! What to mine, and the limits of the search.

use super::error::MineError;

/// What to mine. A value out of range is reported by [`mine`](super::mine).
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The minimum share of the rows in which a body must hold, from 0 to 1. A body must always
    /// hold in at least one row, so 0, the default, means one row. Some published bodies hold in
    /// one row of 2,417.
    pub min_support: f64,
    /// The minimum share of a body's rows in which the head must hold, above 0 and at most 1.
    /// Default: 1, rules without exception.
    pub min_confidence: f64,
    /// The maximum number of literals in a body, up to [`Options::LONGEST_BODY`]; 0 mines facts
    /// only. Default: 3.
    pub max_body: usize,
    /// Whether bodies may contain negated labels. Default: false.
    pub negation: bool,
    /// Whether to keep rules that close a cycle through a negation. Default: false, so that the
    /// mined rules are a stratified program.
    pub keep_unstratified: bool,
    /// The maximum number of rules to find, before stratification; it bounds the memory. Default: a
    /// million.
    pub max_rules: usize,
    /// The maximum number of pairs of a body and a head to examine; it bounds the time. Default: a
    /// billion, one to ten minutes for 6,000 rows on two cores (`--bench mine` examines 2 to 16
    /// million per second, fewer with longer bodies and lower confidence).
    pub max_bodies: u64,
}

impl Options {
    /// A rule that rests on fewer rows than this says little about other rows: even if it had no
    /// exception, it may fail in a quarter of them (at a confidence of 95 %).
    pub const FEW_ROWS: usize = 10;

    /// A support that means something in so many rows: 1 % of them, but at least
    /// [`FEW_ROWS`](Self::FEW_ROWS).
    ///
    /// ```
    /// use rulebound_data::mine::Options;
    /// assert_eq!(Options::meaningful_support(10_000), 0.01);
    /// assert_eq!(Options::meaningful_support(200), 0.05);
    /// assert_eq!(Options::meaningful_support(3), 1.0);
    /// ```
    pub fn meaningful_support(rows: usize) -> f64 {
        (Self::FEW_ROWS as f64 / rows.max(1) as f64).clamp(0.01, 1.0)
    }

    /// The largest allowed value of `max_body`.
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
