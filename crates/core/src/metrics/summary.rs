//! All metrics at once: every row is ranked once, every decision counted once.

use super::columns::Columns;
use super::confusion::Confusion;
use super::error::MetricError;
use super::mean::Mean;
use super::ranking::Ranking;
use super::score::Score;
use super::{auprc, hamming_loss, macro_auprc, macro_f1, micro_f1, multilabel_accuracy};
use super::{average_precision, coverage_error, one_error, ranking_loss};

/// All metrics of some scores and decisions; each is `None` where it is undefined.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Metrics {
    /// See [`auprc`](super::auprc()).
    pub auprc: Option<f64>,
    /// See [`average_precision`](super::average_precision()).
    pub average_precision: Option<f64>,
    /// See [`coverage_error`](super::coverage_error()).
    pub coverage_error: Option<f64>,
    /// See [`hamming_loss`](super::hamming_loss()).
    pub hamming_loss: Option<f64>,
    /// See [`multilabel_accuracy`](super::multilabel_accuracy()).
    pub multilabel_accuracy: Option<f64>,
    /// See [`one_error`](super::one_error()).
    pub one_error: Option<f64>,
    /// See [`ranking_loss`](super::ranking_loss()).
    pub ranking_loss: Option<f64>,
    /// See [`micro_f1`](super::micro_f1()).
    pub micro_f1: Option<f64>,
    /// See [`macro_f1`](super::macro_f1()).
    pub macro_f1: Option<f64>,
    /// See [`macro_auprc`](super::macro_auprc()).
    pub macro_auprc: Option<f64>,
}

impl Metrics {
    /// All metrics of scores and decisions against the truth, all row-major `[rows × classes]`.
    ///
    /// ```
    /// use rulebound_core::metrics::{Columns, Metrics};
    /// let (scores, truth) = ([0.9, 0.2, 0.4, 0.7], [true, false, false, true]);
    /// let decisions = scores.map(|score| score > 0.5);
    /// let metrics = Metrics::new(&scores, &decisions, &truth, &Columns::all(2))?;
    /// assert_eq!((metrics.auprc, metrics.hamming_loss), (Some(1.0), Some(0.0)));
    /// # Ok::<(), rulebound_core::metrics::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// If the sizes do not fit, or a score of a class that counts is NaN.
    pub fn new<F: Score>(
        scores: &[F],
        decisions: &[bool],
        truth: &[bool],
        columns: &Columns,
    ) -> Result<Self, MetricError> {
        let ranking = Ranking::new(scores, truth, columns)?;
        let confusion = Confusion::new(decisions, truth, columns)?;
        let [mut precision, mut coverage, mut error, mut loss] = [Mean::default(); 4];
        ranking.each_row(|row| {
            precision.add(Some(average_precision::of_row(row)));
            coverage.add(Some(coverage_error::of_row(row)));
            error.add(one_error::of_row(row));
            loss.add(Some(ranking_loss::of_row(row)));
        });
        let classes = columns.counted().len();
        Ok(Self {
            auprc: auprc(&ranking),
            average_precision: precision.value(),
            coverage_error: coverage_error::of_coverage(coverage, classes),
            hamming_loss: hamming_loss(&confusion),
            multilabel_accuracy: multilabel_accuracy(&confusion),
            one_error: error.value(),
            ranking_loss: loss.value(),
            micro_f1: micro_f1(&confusion),
            macro_f1: macro_f1(&confusion),
            macro_auprc: macro_auprc(&ranking),
        })
    }

    /// Every metric with its name, in the order of the documentation.
    pub fn named(&self) -> [(&'static str, Option<f64>); 10] {
        [
            ("auprc", self.auprc),
            ("average_precision", self.average_precision),
            ("coverage_error", self.coverage_error),
            ("hamming_loss", self.hamming_loss),
            ("multilabel_accuracy", self.multilabel_accuracy),
            ("one_error", self.one_error),
            ("ranking_loss", self.ranking_loss),
            ("micro_f1", self.micro_f1),
            ("macro_f1", self.macro_f1),
            ("macro_auprc", self.macro_auprc),
        ]
    }

    /// Metrics by their names; undefined where `value` knows none.
    pub fn from_named(value: impl Fn(&str) -> Option<f64>) -> Self {
        Self {
            auprc: value("auprc"),
            average_precision: value("average_precision"),
            coverage_error: value("coverage_error"),
            hamming_loss: value("hamming_loss"),
            multilabel_accuracy: value("multilabel_accuracy"),
            one_error: value("one_error"),
            ranking_loss: value("ranking_loss"),
            micro_f1: value("micro_f1"),
            macro_f1: value("macro_f1"),
            macro_auprc: value("macro_auprc"),
        }
    }

    /// Metric by metric, what `value` makes of all of them: a mean, for example. Undefined where
    /// one of them is, or there are none.
    #[must_use]
    pub fn combine(all: &[Self], value: impl Fn(&[f64]) -> f64) -> Self {
        let of = |metric: fn(&Self) -> Option<f64>| {
            let values: Option<Vec<f64>> = all.iter().map(metric).collect();
            values.filter(|values| !values.is_empty()).map(|values| value(&values))
        };
        Self {
            auprc: of(|m| m.auprc),
            average_precision: of(|m| m.average_precision),
            coverage_error: of(|m| m.coverage_error),
            hamming_loss: of(|m| m.hamming_loss),
            multilabel_accuracy: of(|m| m.multilabel_accuracy),
            one_error: of(|m| m.one_error),
            ranking_loss: of(|m| m.ranking_loss),
            micro_f1: of(|m| m.micro_f1),
            macro_f1: of(|m| m.macro_f1),
            macro_auprc: of(|m| m.macro_auprc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_metrics() {
        let names = Metrics::default().named().map(|(name, _)| name);
        let place = |wanted: &str| names.iter().position(|name| *name == wanted);
        let metrics = Metrics::from_named(|name| place(name).map(|place| place as f64));
        for (at, (name, value)) in metrics.named().into_iter().enumerate() {
            assert_eq!(value, Some(at as f64), "{name}");
        }
    }
}
