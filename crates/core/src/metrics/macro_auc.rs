//! Macro AUC: the area under the ROC curve, class by class.

use super::mean::Mean;
use super::ranking::Ranking;
use super::score::Score;

/// The probability that a random example of a class has a higher score for it than a random other
/// example, where a tie counts half; the mean of that over the classes. Higher is better, at most 1.
///
/// A class that no example has, or that all have, is left out; undefined where that leaves none.
/// Otherwise as `roc_auc_score(average="macro")`.
pub fn macro_auc<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    let mut mean = Mean::default();
    ranking.each_class(|examples| mean.add(examples.roc_auc()));
    mean.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(2);
        let of = |scores: &[f64], truth: &[bool]| {
            macro_auc(&Ranking::new(scores, truth, &columns).unwrap())
        };
        // The first class: one of two pairs is right, the other is tied; all have the second.
        let scores = [0.5, 0.1, 0.5, 0.2, 0.1, 0.3];
        let truth = [true, true, false, true, false, true];
        assert_eq!(of(&scores, &truth), Some(0.75));
        assert_eq!(of(&scores, &[true; 6]), None);
        assert_eq!(of(&[], &[]), None);
    }
}
