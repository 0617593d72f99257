//! Micro F1: the harmonic mean of precision and recall of all decisions together.

use super::confusion::Confusion;

/// 2·TP / (2·TP + FP + FN) over all pairs of example and class. Higher is better, at most 1.
///
/// 0 where nothing is predicted and nothing true. As `f1_score(average="micro", zero_division=0)`.
pub fn micro_f1(confusion: &Confusion) -> Option<f64> {
    confusion.total().map(|total| total.f1())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(2);
        let of = |decisions: &[bool], truth: &[bool]| {
            micro_f1(&Confusion::new(decisions, truth, &columns).unwrap())
        };
        assert_eq!(of(&[true, true, true, false], &[true, false, true, true]), Some(4.0 / 6.0));
        assert_eq!(of(&[false; 2], &[false; 2]), Some(0.0));
        assert_eq!(of(&[], &[]), None);
    }
}
