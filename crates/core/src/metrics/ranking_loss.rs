//! Ranking loss: how many pairs of a true and a false class are in the wrong order.

use super::mean::Mean;
use super::ranked_row::RankedRow;
use super::ranking::Ranking;
use super::score::Score;

/// The share of pairs of a true and a false class of an example in which the false one has at least
/// the score of the true one; the mean over examples. Lower is better, at least 0.
///
/// An example with no true class or only true classes counts as 0. As `label_ranking_loss`.
pub fn ranking_loss<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    let mut mean = Mean::default();
    ranking.each_row(|row| mean.add(Some(of_row(row))));
    mean.value()
}

pub(super) fn of_row(row: &RankedRow) -> f64 {
    if row.is_one_sided() {
        return 0.0;
    }
    let wrong: u64 = row.steps.iter().map(|step| step.here as u64 * step.negatives as u64).sum();
    wrong as f64 / (row.positives as u64 * row.negatives as u64) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(3);
        let of = |scores: &[f64], truth: &[bool]| {
            ranking_loss(&Ranking::new(scores, truth, &columns).unwrap())
        };
        // One of two pairs is wrong, then both are.
        let scores = [0.75, 0.5, 1.0, 1.0, 0.2, 0.1];
        let truth = [true, false, false, false, false, true];
        assert_eq!(of(&scores, &truth), Some(0.75));
        assert_eq!(of(&[0.5, 0.5, 0.4], &[true, false, false]), Some(0.5));
        assert_eq!(of(&[0.5; 6], &[true, true, true, false, false, false]), Some(0.0));
        assert_eq!(of(&[], &[]), None);
    }
}
