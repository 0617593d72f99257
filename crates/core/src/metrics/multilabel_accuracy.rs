//! Multi-label accuracy: the Jaccard index of decisions and truth.

use super::confusion::Confusion;

/// Micro-averaged Jaccard index, TP / (TP + FP + FN) over all pairs of example and class. Higher is
/// better, at most 1.
///
/// 0 where nothing is predicted and nothing true. As `jaccard_score(average="micro")`.
pub fn multilabel_accuracy(confusion: &Confusion) -> Option<f64> {
    let total = confusion.total()?;
    let either = total.true_positives + total.false_positives + total.false_negatives;
    Some(if either == 0 { 0.0 } else { total.true_positives as f64 / either as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(2);
        let of = |decisions: &[bool], truth: &[bool]| {
            multilabel_accuracy(&Confusion::new(decisions, truth, &columns).unwrap())
        };
        assert_eq!(of(&[true, true, false, false], &[true, false, true, false]), Some(1.0 / 3.0));
        assert_eq!(of(&[false; 2], &[false; 2]), Some(0.0));
        assert_eq!(of(&[], &[]), None);
    }
}
