//! One-error: how often the class with the highest score is not true.

use super::mean::Mean;
use super::ranked_row::RankedRow;
use super::ranking::Ranking;
use super::score::Score;

/// The share of examples whose class with the highest score is not true. Lower is better, at
/// least 0.
///
/// Examples with no true class or only true classes are left out; undefined where that leaves none.
/// Of several classes with the highest score the first in the order of the classes is used, as in the
/// code behind the published figures; scikit-learn has no such metric.
pub fn one_error<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    let mut mean = Mean::default();
    ranking.each_row(|row| mean.add(of_row(row)));
    mean.value()
}

pub(super) fn of_row(row: &RankedRow) -> Option<f64> {
    (!row.is_one_sided()).then(|| f64::from(u8::from(!row.top_is_true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    fn of(scores: &[f64], truth: &[bool]) -> Option<f64> {
        let columns = Columns::all(2);
        one_error(&Ranking::new(scores, truth, &columns).unwrap())
    }

    #[test]
    fn by_hand() {
        let truth = [true, false, true, false, true, true, false, false];
        assert_eq!(of(&[0.9, 0.1, 0.1, 0.9, 0.0, 0.0, 0.0, 0.0], &truth), Some(0.5));
        // The first of two equal ones.
        assert_eq!(of(&[0.5, 0.5], &[true, false]), Some(0.0));
        assert_eq!(of(&[0.5, 0.5], &[false, true]), Some(1.0));
        assert_eq!(of(&[f64::NEG_INFINITY; 2], &[false, true]), Some(1.0));
    }

    #[test]
    fn undefined_where_every_example_is_left_out() {
        assert_eq!(of(&[0.1, 0.2, 0.3, 0.4], &[true, true, false, false]), None);
        assert_eq!(of(&[], &[]), None);
    }
}
