//! Reliability: how often what is predicted with a probability is true, bin by bin.

use super::compensated::Compensated;
use super::ranking::Ranking;

/// The number of bins, of equal width.
pub const RELIABILITY_BINS: usize = 15;

/// The pairs of example and class with a probability in one bin.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ReliabilityBin {
    /// How many there are.
    pub pairs: u64,
    /// How many of them are true.
    pub positives: u64,
    /// The sum of their probabilities.
    sum: Compensated,
}

impl ReliabilityBin {
    /// The mean probability; `None` in an empty bin.
    pub fn confidence(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.sum.value() / self.pairs as f64)
    }

    /// The share that is true; `None` in an empty bin.
    pub fn frequency(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.positives as f64 / self.pairs as f64)
    }
}

/// All pairs of example and class in [`RELIABILITY_BINS`] bins of equal width: bin i has the
/// probabilities in [i/15, (i+1)/15), the last one also 1.
#[derive(Clone, PartialEq, Debug)]
pub struct Reliability {
    bins: [ReliabilityBin; RELIABILITY_BINS],
}

impl Reliability {
    /// The scores must be probabilities.
    pub fn new(probabilities: &Ranking<'_, f64>) -> Self {
        let mut bins = [ReliabilityBin::default(); RELIABILITY_BINS];
        for row in 0..probabilities.rows() {
            let (scores, truth) = probabilities.row(row);
            for class in probabilities.columns().known_classes(row) {
                let at = (scores[class] * RELIABILITY_BINS as f64) as usize;
                let bin = &mut bins[at.min(RELIABILITY_BINS - 1)];
                bin.pairs += 1;
                bin.positives += u64::from(truth[class]);
                bin.sum.add(scores[class]);
            }
        }
        Self { bins }
    }

    /// The bins, the lowest probabilities first.
    pub fn bins(&self) -> &[ReliabilityBin] {
        &self.bins
    }

    /// The expected calibration error: |confidence − frequency| of each bin, weighted by its pairs.
    /// Lower is better, at least 0; `None` without a pair.
    pub fn expected_calibration_error(&self) -> Option<f64> {
        let pairs: u64 = self.bins.iter().map(|bin| bin.pairs).sum();
        let gap = |bin: &ReliabilityBin| (bin.sum.value() - bin.positives as f64).abs();
        (pairs > 0).then(|| self.bins.iter().map(gap).sum::<f64>() / pairs as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(1);
        let of = |scores: &[f64], truth: &[bool]| {
            Reliability::new(&Ranking::new(scores, truth, &columns).unwrap())
        };
        // Two in the last bin, both ends among them, one of them true; one in the first.
        let reliability = of(&[1.0, 0.95, 0.0], &[true, false, false]);
        let (first, last) = (reliability.bins()[0], reliability.bins()[14]);
        assert_eq!((first.confidence(), first.frequency()), (Some(0.0), Some(0.0)));
        assert_eq!((last.pairs, last.frequency()), (2, Some(0.5)));
        let error = reliability.expected_calibration_error().unwrap();
        assert!((error - 0.95 / 3.0).abs() < 1e-15, "{error}");
        assert_eq!(reliability.bins()[7].confidence(), None);
        assert_eq!(of(&[], &[]).expected_calibration_error(), None);
    }
}
