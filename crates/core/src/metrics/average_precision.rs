//! Average precision: label ranking average precision, the mean over examples.

use super::mean::Mean;
use super::ranked_row::RankedRow;
use super::ranking::Ranking;
use super::score::Score;

/// For each true class of an example, the share of true classes among those ranked at least as
/// high; the mean over these classes, then over the examples. Higher is better, at most 1.
///
/// An example with no true class or only true classes counts as 1. As
/// `label_ranking_average_precision_score`.
pub fn average_precision<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    let mut mean = Mean::default();
    ranking.each_row(|row| mean.add(Some(of_row(row))));
    mean.value()
}

pub(super) fn of_row(row: &RankedRow) -> f64 {
    if row.is_one_sided() {
        return 1.0;
    }
    let sum: f64 = row.steps.iter().map(|step| step.precision()).sum();
    sum / row.positives as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(3);
        let of = |scores: &[f64], truth: &[bool]| {
            average_precision(&Ranking::new(scores, truth, &columns).unwrap())
        };
        // The only true class comes second, then third: 1/2 and 1/3.
        let scores = [0.75, 0.5, 1.0, 1.0, 0.2, 0.1];
        let truth = [true, false, false, false, false, true];
        assert_eq!(of(&scores, &truth), Some((1.0 / 2.0 + 1.0 / 3.0) / 2.0));
        assert_eq!(of(&[0.5; 3], &[true, false, false]), Some(1.0 / 3.0));
        assert_eq!(of(&[0.5; 6], &[true, true, true, false, false, false]), Some(1.0));
        assert_eq!(of(&[], &[]), None);
    }
}
