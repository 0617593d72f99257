//! All metrics at once: every row is ranked once, every decision counted once.

use std::fmt;

use super::columns::Columns;
use super::confusion::Confusion;
use super::coverage_error::Coverage;
use super::error::MetricError;
use super::mean::Mean;
use super::metric::Metric;
use super::ranking::Ranking;
use super::score::Score;
use super::{auprc, hamming_loss, macro_auprc, macro_f1, micro_f1, multilabel_accuracy};
use super::{average_precision, one_error, ranking_loss};

/// The values of all metrics; each is `None` where it is undefined. As text it is a line for each metric,
/// with its name; `Debug` is a map from names to values.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Metrics {
    /// In the order of [`Metric::ALL`].
    values: [Option<f64>; Metric::ALL.len()],
}

impl Metrics {
    /// All metrics of scores and decisions against the truth, all row-major `[rows × classes]`.
    ///
    /// ```
    /// use rulebound_core::metrics::{Columns, Metric, Metrics};
    /// let (scores, truth) = ([0.9, 0.2, 0.4, 0.7], [true, false, false, true]);
    /// let decisions = scores.map(|score| score > 0.5);
    /// let metrics = Metrics::new(&scores, &decisions, &truth, &Columns::all(2))?;
    /// assert_eq!(metrics.get(Metric::Auprc), Some(1.0));
    /// assert_eq!(metrics.get(Metric::HammingLoss), Some(0.0));
    /// # Ok::<(), rulebound_core::metrics::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// If the sizes do not match, or a score of a class that counts is NaN.
    pub fn new<F: Score>(
        scores: &[F],
        decisions: &[bool],
        truth: &[bool],
        columns: &Columns,
    ) -> Result<Self, MetricError> {
        let ranking = Ranking::new(scores, truth, columns)?;
        let confusion = Confusion::new(decisions, truth, columns)?;
        let [mut precision, mut error, mut loss] = [Mean::default(); 3];
        let mut coverage = Coverage::new(columns);
        ranking.each_row(|row| {
            precision.add(Some(average_precision::of_row(row)));
            coverage.add(row);
            error.add(one_error::of_row(row));
            loss.add(Some(ranking_loss::of_row(row)));
        });
        Ok(Self::from_fn(|metric| match metric {
            Metric::Auprc => auprc(&ranking),
            Metric::AveragePrecision => precision.value(),
            Metric::CoverageError => coverage.value(),
            Metric::HammingLoss => hamming_loss(&confusion),
            Metric::MultilabelAccuracy => multilabel_accuracy(&confusion),
            Metric::OneError => error.value(),
            Metric::RankingLoss => loss.value(),
            Metric::MicroF1 => micro_f1(&confusion),
            Metric::MacroF1 => macro_f1(&confusion),
            Metric::MacroAuprc => macro_auprc(&ranking),
        }))
    }

    /// The metrics with the values that `value` gives.
    pub fn from_fn(value: impl FnMut(Metric) -> Option<f64>) -> Self {
        Self { values: Metric::ALL.map(value) }
    }

    /// The value of one metric.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.values[metric as usize]
    }

    /// Every metric with its value, in the order of [`Metric::ALL`].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Metric, Option<f64>)> + use<> {
        Metric::ALL.into_iter().zip(self.values)
    }

    /// Combines the values of each metric by `value`: to their mean, for example. Undefined where
    /// one of them is, or where `all` is empty.
    #[must_use]
    pub fn combine(all: &[Self], value: impl Fn(&[f64]) -> f64) -> Self {
        Self::from_fn(|metric| {
            let values: Option<Vec<f64>> = all.iter().map(|metrics| metrics.get(metric)).collect();
            values.filter(|values| !values.is_empty()).map(|values| value(&values))
        })
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (metric, value)) in self.iter().enumerate() {
            let newline = if at > 0 { "\n" } else { "" };
            match value {
                Some(value) => write!(f, "{newline}{:20} {value:.4}", metric.name())?,
                None => write!(f, "{newline}{:20} undefined", metric.name())?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(metric, value)| (metric.name(), value))).finish()
    }
}

/// A map from the names of all metrics to their values, in the order of [`Metric::ALL`].
#[cfg(feature = "serde")]
impl serde::Serialize for Metrics {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_its_own_value() {
        let place = |wanted| Metric::ALL.iter().position(|&metric| metric == wanted);
        let metrics = Metrics::from_fn(|metric| place(metric).map(|place| place as f64));
        for (at, (metric, value)) in metrics.iter().enumerate() {
            assert_eq!((value, metrics.get(metric)), (Some(at as f64), Some(at as f64)));
        }
    }

    #[test]
    fn every_value_is_printed_with_the_name_of_its_metric() {
        let metrics = Metrics::from_fn(|metric| (metric != Metric::MicroF1).then_some(0.25));
        let (text, debug) = (metrics.to_string(), format!("{metrics:?}"));
        for (metric, value) in metrics.iter() {
            let line = text.lines().find(|line| line.starts_with(&format!("{metric} ")));
            let told = line.and_then(|line| line.split_whitespace().nth(1));
            assert_eq!(told, Some(if value.is_some() { "0.2500" } else { "undefined" }), "{text}");
            assert!(debug.contains(&format!("\"{metric}\": {value:?}")), "{debug}");
        }
    }

    #[test]
    fn a_combination_is_undefined_where_a_value_is() {
        let constant = |value| Metrics::from_fn(|_| Some(value));
        let without_f1 = Metrics::from_fn(|metric| (metric != Metric::MicroF1).then_some(3.0));
        let sum = Metrics::combine(&[constant(1.0), without_f1], |values| values.iter().sum());
        assert_eq!((sum.get(Metric::Auprc), sum.get(Metric::MicroF1)), (Some(4.0), None));
        assert_eq!(Metrics::combine(&[], |_| 0.0), Metrics::default());
    }
}
