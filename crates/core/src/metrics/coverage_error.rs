//! Coverage error: how far down the ranking the last true class of an example is.

use super::columns::Columns;
use super::mean::Mean;
use super::ranked_row::RankedRow;
use super::ranking::Ranking;
use super::score::Score;

/// (coverage − 1) / L, where coverage is the mean over examples of the number of classes ranked
/// at least as high as the lowest true one, and L is the number of classes that count. Lower is better.
///
/// The coverage of an example without a class is 0. As `(coverage_error(…) − 1) / L`, so the result
/// is below 0 where most examples have no class. Where labels are not known, L is the number of known
/// ones of the example: the mean over examples of (coverage − 1) / L.
pub fn coverage_error<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    let mut coverage = Coverage::new(ranking.columns());
    ranking.each_row(|row| coverage.add(row));
    coverage.value()
}

/// The coverage of the examples so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coverage {
    mean: Mean,
    /// The number of classes of every example; none if it differs.
    classes: Option<usize>,
}

impl Coverage {
    pub(super) fn new(columns: &Columns) -> Self {
        let classes = (!columns.has_unknown()).then(|| columns.counted().len());
        Self { mean: Mean::default(), classes }
    }

    pub(super) fn add(&mut self, row: &RankedRow) {
        let last = row.steps.last();
        let coverage = last.map_or(0.0, |last| (last.positives + last.negatives) as f64);
        self.mean.add(Some(match self.classes {
            Some(_) => coverage,
            None => (coverage - 1.0) / row.classes() as f64,
        }));
    }

    pub(super) fn value(self) -> Option<f64> {
        let mean = self.mean.value()?;
        Some(self.classes.map_or(mean, |classes| (mean - 1.0) / classes as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(3);
        let of = |scores: &[f64], truth: &[bool]| {
            coverage_error(&Ranking::new(scores, truth, &columns).unwrap())
        };
        // Down to the second, then to the third: 2.5 on average.
        let scores = [0.75, 0.5, 1.0, 1.0, 0.2, 0.1];
        let truth = [true, false, false, false, false, true];
        assert_eq!(of(&scores, &truth), Some(1.5 / 3.0));
        assert_eq!(of(&[0.5; 3], &[true, false, false]), Some(2.0 / 3.0));
        assert_eq!(of(&[0.5; 3], &[false; 3]), Some(-1.0 / 3.0));
        assert_eq!(of(&[], &[]), None);
    }
}
