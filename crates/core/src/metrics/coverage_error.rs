//! Coverage error: how far down the ranking the last true class of an example is.

use super::mean::Mean;
use super::ranked_row::RankedRow;
use super::ranking::Ranking;
use super::score::Score;

/// (coverage − 1) / L, where coverage is the mean over examples of the number of classes ranked
/// at least as high as the lowest true one, and L is the number of classes that count. Lower is better.
///
/// The coverage of an example without a class is 0. As `(coverage_error(…) − 1) / L`, so the result
/// is below 0 where most examples have no class.
pub fn coverage_error<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    let mut coverage = Mean::default();
    ranking.each_row(|row| coverage.add(Some(of_row(row))));
    of_coverage(coverage, ranking.columns().counted().len())
}

pub(super) fn of_row(row: &RankedRow) -> f64 {
    row.steps.last().map_or(0.0, |last| (last.positives + last.negatives) as f64)
}

pub(super) fn of_coverage(coverage: Mean, classes: usize) -> Option<f64> {
    Some((coverage.value()? - 1.0) / classes as f64)
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
