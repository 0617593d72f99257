//! Macro AU(PRC): average precision class by class.

use super::mean::Mean;
use super::ranking::Ranking;
use super::score::Score;

/// The average precision of each class over the examples, and the mean of that over the classes.
/// Higher is better, at most 1.
///
/// A class without a positive example is left out, since its average precision is undefined
/// (scikit-learn would count it as 0); undefined where that leaves none. Otherwise as
/// `average_precision_score(average="macro")`.
pub fn macro_auprc<F: Score>(ranking: &Ranking<'_, F>) -> Option<f64> {
    let mut mean = Mean::default();
    ranking.each_class(|examples| mean.add(examples.average_precision()));
    mean.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(3);
        let of = |scores: &[f64], truth: &[bool]| {
            macro_auprc(&Ranking::new(scores, truth, &columns).unwrap())
        };
        // The first class is ranked well, the second badly, the third has no positive.
        let scores = [0.9, 0.1, 0.3, 0.1, 0.9, 0.3];
        let truth = [true, true, false, false, false, false];
        assert_eq!(of(&scores, &truth), Some((1.0 + 0.5) / 2.0));
        assert_eq!(of(&scores, &[false; 6]), None);
        assert_eq!(of(&[], &[]), None);
    }
}
