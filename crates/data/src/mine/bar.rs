//! The thresholds a rule must reach, in whole rows.
//!
//! A share is compared as the quotient of two counts, correctly rounded: 7 of 100 rows reach 0.07,
//! which a count of `0.07 * 100.0` would not allow. Invariant: all comparisons agree with
//! [`Bar::is_confident`], bounds included.

use super::options::Options;

#[derive(Clone, Debug)]
pub(super) struct Bar {
    min_confidence: f64,
    rows: u32,
    /// Rows in which a body must hold.
    pub(super) least_rows: u32,
    /// Rows in which a body and its head must hold.
    pub(super) least_hits: u32,
}

impl Bar {
    pub(super) fn new(options: &Options, rows: usize) -> Self {
        let rows = u32::try_from(rows).expect("a data set has fewer than 2³² cells");
        let least = |share: f64, of: u32| {
            let mut count = ((share * f64::from(of)) as u32).saturating_sub(1).max(1);
            while f64::from(count) / f64::from(of) < share {
                count += 1;
            }
            count
        };
        let least_rows = least(options.min_support, rows);
        let least_hits = least(options.min_confidence, least_rows);
        Self { min_confidence: options.min_confidence, rows, least_rows, least_hits }
    }

    /// Whether no misses are allowed.
    pub(super) fn is_exact(&self) -> bool {
        self.min_confidence == 1.0
    }

    /// Whether a body with the head in `hits` of its rows, and without it in `misses`, holds in
    /// enough rows. If it does not, no longer body does.
    pub(super) fn is_supported(&self, hits: u32, misses: u32) -> bool {
        hits >= self.least_hits && hits + misses >= self.least_rows
    }

    /// Whether the head holds in enough of the body's rows.
    pub(super) fn is_confident(&self, hits: u32, misses: u32) -> bool {
        hits > 0 && f64::from(hits) / f64::from(hits + misses) >= self.min_confidence
    }

    /// The most misses that a body with this many hits may have. Fewer hits never allow more.
    pub(super) fn allowed_misses(&self, hits: u32) -> u32 {
        if self.is_exact() || hits == 0 {
            return 0;
        }
        let exact = f64::from(hits) * (1.0 - self.min_confidence) / self.min_confidence;
        let mut spare = exact.min(f64::from(self.rows)) as u32;
        while spare > 0 && !self.is_confident(hits, spare) {
            spare -= 1;
        }
        while spare < self.rows && self.is_confident(hits, spare + 1) {
            spare += 1;
        }
        spare
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(min_support: f64, min_confidence: f64, rows: usize) -> Bar {
        Bar::new(&Options { min_support, min_confidence, ..Options::default() }, rows)
    }

    #[test]
    fn shares_are_met_exactly() {
        for hundredths in 1..=100u32 {
            let share = f64::from(hundredths) / 100.0;
            assert_eq!(bar(share, 1.0, 100).least_rows, hundredths);
            assert_eq!(bar(1.0, share, 100).least_hits, hundredths);
        }
        assert_eq!(bar(0.0, 1.0, 100).least_rows, 1);
        assert_eq!(bar(0.005, 1.0, 6000).least_rows, 30);
    }

    #[test]
    fn spare_misses_are_the_most_that_are_confident() {
        for confidence in [1.0, 0.99, 0.9, 0.7, 0.5, 0.07, 1e-12] {
            let bar = bar(0.0, confidence, 500);
            for hits in 1..200 {
                let spare = bar.allowed_misses(hits);
                assert!(bar.is_confident(hits, spare));
                assert!(spare == 500 || !bar.is_confident(hits, spare + 1));
            }
        }
    }
}
