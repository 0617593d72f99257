//! Macro F1: F1 class by class.

use super::confusion::Confusion;
use super::mean::Mean;

/// 2·TP / (2·TP + FP + FN) of each class, and the mean of that over the classes. Higher is better,
/// at most 1.
///
/// A class that is never predicted and never true counts as 0. As
/// `f1_score(average="macro", zero_division=0)`.
pub fn macro_f1(confusion: &Confusion) -> Option<f64> {
    confusion.total()?;
    confusion.per_class().iter().map(|counts| Some(counts.f1())).collect::<Mean>().value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(3);
        let of = |decisions: &[bool], truth: &[bool]| {
            macro_f1(&Confusion::new(decisions, truth, &columns).unwrap())
        };
        // One class right, one predicted once too often, one without a positive.
        let decisions = [true, true, false, true, true, false];
        let truth = [true, false, false, true, true, false];
        assert_eq!(of(&decisions, &truth), Some((1.0 + 2.0 / 3.0 + 0.0) / 3.0));
        assert_eq!(of(&[], &[]), None);
    }
}
