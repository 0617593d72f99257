//! The metrics of each class by itself.

use super::confusion::{Confusion, Counts};
use super::error::MetricError;
use super::ranking::Ranking;
use super::score::Score;

/// How well one class is predicted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClassMetrics {
    /// The class, from 0.
    pub class: usize,
    /// How its decisions agree with the truth: support, precision, recall, F1.
    pub counts: Counts,
    /// Σₙ (Rₙ − Rₙ₋₁) Pₙ over the distinct scores of the examples; `None` without a positive.
    pub average_precision: Option<f64>,
    /// The area under the ROC curve, where ties count half; `None` without a positive or without a
    /// negative.
    pub auc: Option<f64>,
}

impl ClassMetrics {
    /// The metrics of each class that counts, in order.
    ///
    /// ```
    /// use rulebound_core::metrics::{ClassMetrics, Columns};
    /// let (scores, truth) = ([0.9, 0.2, 0.4, 0.7], [true, false, false, true]);
    /// let decisions = scores.map(|score| score > 0.5);
    /// let classes = ClassMetrics::of_each(&scores, &decisions, &truth, &Columns::all(2))?;
    /// assert_eq!((classes[1].counts.support(), classes[1].counts.f1()), (1, 1.0));
    /// assert_eq!((classes[1].average_precision, classes[1].auc), (Some(1.0), Some(1.0)));
    /// # Ok::<(), rulebound_core::metrics::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// If the sizes do not match, or a score of a class that counts is NaN.
    pub fn of_each<F: Score>(
        scores: &[F],
        decisions: &[bool],
        truth: &[bool],
        columns: &super::Columns,
    ) -> Result<Vec<Self>, MetricError> {
        let ranking = Ranking::new(scores, truth, columns)?;
        let confusion = Confusion::new(decisions, truth, columns)?;
        let mut curves = Vec::with_capacity(columns.counted().len());
        ranking.each_class(|examples| {
            curves.push((examples.average_precision(), examples.roc_auc()));
        });
        let classes = columns.counted().iter().zip(confusion.per_class());
        let one = |((&class, &counts), (average_precision, auc))| Self {
            class,
            counts,
            average_precision,
            auc,
        };
        Ok(classes.zip(curves).map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::evaluated(&[false, true, true]);
        let scores = [0.1, 0.9, 0.2, 0.1, 0.3, 0.6, 0.1, 0.3, 0.4];
        let truth = [true, true, false, true, true, false, true, false, false];
        let decisions = scores.map(|score| score > 0.25);
        let classes = ClassMetrics::of_each(&scores, &decisions, &truth, &columns).unwrap();
        let (first, second) = (classes[0], classes[1]);
        assert_eq!((first.class, second.class), (1, 2));
        // 0.9 is right, 0.3 is tied with a wrong one: AP (1 + 2/3)/2, AUC (1 + 1/2)/2.
        assert_eq!(first.average_precision, Some((1.0 + 2.0 / 3.0) / 2.0));
        assert_eq!(first.auc, Some(0.75));
        assert_eq!((first.counts.support(), first.counts.recall()), (2, 1.0));
        assert_eq!(first.counts.precision(), 2.0 / 3.0);
        assert_eq!((second.average_precision, second.auc), (None, None));
        assert_eq!((second.counts.support(), second.counts.predicted()), (0, 2));
        assert_eq!((second.counts.precision(), second.counts.recall()), (0.0, 0.0));
    }
}
