//! AU(PRC): the area under the precision-recall curve of all pairs of example and class, as
//! average precision.

use super::ranking::Ranking;
use super::score::Score;

/// Micro-averaged average precision: all (example, class) pairs in one ranking,
/// Σₙ (Rₙ − Rₙ₋₁) Pₙ over its distinct scores. Higher is better, at most 1.
///
/// Undefined without a positive. As `average_precision_score(average="micro")`. Takes the memory of
/// the scores that count once more.
pub fn auprc<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    ranking.pairs().average_precision()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    fn of(scores: &[f64], truth: &[bool]) -> Option<f64> {
        let columns = Columns::all(1);
        auprc(&Ranking::new(scores, truth, &columns).unwrap())
    }

    #[test]
    fn by_hand() {
        let truth = [true, false, true, false];
        assert_eq!(of(&[4.0, 3.0, 2.0, 1.0], &truth), Some((1.0 + 2.0 / 3.0) / 2.0));
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0], &truth), Some((1.0 / 2.0 + 2.0 / 4.0) / 2.0));
        // The second and third are tied: both positives are then found among three.
        assert_eq!(of(&[4.0, 2.0, 2.0, 1.0], &truth), Some((1.0 + 2.0 / 3.0) / 2.0));
        assert_eq!(of(&[2.0, 2.0, 2.0, 1.0], &truth), Some(2.0 / 3.0));
        assert_eq!(of(&[f64::INFINITY, f64::NEG_INFINITY, -9.0, -1.0], &truth), {
            Some((1.0 + 2.0 / 3.0) / 2.0)
        });
    }

    #[test]
    fn undefined_without_a_positive() {
        assert_eq!(of(&[1.0, 2.0], &[false, false]), None);
        assert_eq!(of(&[], &[]), None);
        assert_eq!(of(&[1.0, 2.0], &[true, true]), Some(1.0));
    }
}
