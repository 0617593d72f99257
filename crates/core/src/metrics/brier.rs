//! Brier score: how far probabilities are from the truth.

use super::compensated::Compensated;
use super::ranking::Ranking;

/// The mean over all pairs of example and class of (p − y)², where y is 1 if the class is true and 0
/// if not. Lower is better, at least 0. As `brier_score_loss` over all pairs.
///
/// The scores must be probabilities.
pub fn brier(probabilities: &Ranking<'_, f64>) -> Option<f64> {
    let columns = probabilities.columns();
    let mut sum = Compensated::default();
    for row in 0..probabilities.rows() {
        let (scores, truth) = probabilities.row(row);
        for class in columns.known_classes(row) {
            let error = scores[class] - f64::from(u8::from(truth[class]));
            sum.add(error * error);
        }
    }
    let pairs = columns.pairs(probabilities.rows());
    (pairs > 0).then(|| sum.value() / pairs as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(2);
        let of =
            |scores: &[f64], truth: &[bool]| brier(&Ranking::new(scores, truth, &columns).unwrap());
        assert_eq!(of(&[0.75, 0.5], &[true, false]), Some((0.0625 + 0.25) / 2.0));
        assert_eq!(of(&[1.0, 0.0], &[true, false]), Some(0.0));
        assert_eq!(of(&[], &[]), None);
    }
}
