//! Further metrics: those that are computed when they are asked for. They are no columns of results
//! and no keys of the JSON of an evaluation.

use super::columns::Columns;
use super::confusion::{Confusion, Counts};
use super::error::MetricError;
use super::mean::Mean;
use super::metric::Direction;
use super::ranking::Ranking;
use super::reliability::Reliability;
use super::score::Score;
use super::{brier, f_max, hierarchical, macro_auc};
use crate::program::Ancestors;

crate::named_enum! {
    /// One of the further metrics. Its name is the key in JSON.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum FurtherMetric: "a further metric" {
        /// See [`f_max`](super::f_max()).
        FMax = "fmax",
        /// TP / (TP + FP) over all pairs of example and class; see [`Counts::precision`].
        MicroPrecision = "micro_precision",
        /// TP / (TP + FN) over all pairs of example and class; see [`Counts::recall`].
        MicroRecall = "micro_recall",
        /// The mean over the classes of [`Counts::precision`].
        MacroPrecision = "macro_precision",
        /// The mean over the classes of [`Counts::recall`].
        MacroRecall = "macro_recall",
        /// See [`macro_auc`](super::macro_auc()).
        MacroAuc = "macro_auc",
        /// Precision of [`hierarchical`](super::hierarchical()).
        HierarchicalPrecision = "hierarchical_precision",
        /// Recall of [`hierarchical`](super::hierarchical()).
        HierarchicalRecall = "hierarchical_recall",
        /// F1 of [`hierarchical`](super::hierarchical()).
        HierarchicalF1 = "hierarchical_f1",
        /// See [`brier`](super::brier()).
        Brier = "brier",
        /// See [`Reliability::expected_calibration_error`].
        CalibrationError = "ece",
    }
}

impl FurtherMetric {
    /// Which values are better.
    pub const fn direction(self) -> Direction {
        match self {
            Self::Brier | Self::CalibrationError => Direction::Lower,
            _ => Direction::Higher,
        }
    }
}

/// What further metrics are computed from, all row-major `[rows × classes]`.
#[derive(Clone, Copy, Debug)]
pub struct FurtherInput<'a, F> {
    /// What classes are ranked by.
    pub scores: &'a [F],
    /// The scores as probabilities.
    pub probabilities: &'a [f64],
    /// Which classes are predicted.
    pub decisions: &'a [bool],
    /// Which classes are true.
    pub truth: &'a [bool],
    /// The ancestors of classes; without them the hierarchical metrics are undefined.
    pub ancestors: Option<&'a Ancestors>,
}

/// The values of all further metrics; each is `None` where it is undefined.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FurtherMetrics {
    /// In the order of [`FurtherMetric::ALL`].
    values: [Option<f64>; FurtherMetric::ALL.len()],
}

impl FurtherMetrics {
    /// All further metrics.
    ///
    /// # Errors
    /// If the sizes do not match, or a score of a class that counts is NaN.
    pub fn new<F: Score>(
        input: FurtherInput<'_, F>,
        columns: &Columns,
    ) -> Result<Self, MetricError> {
        let FurtherInput { scores, probabilities, decisions, truth, ancestors } = input;
        let ranking = Ranking::new(scores, truth, columns)?;
        let probable = Ranking::new(probabilities, truth, columns)?;
        let confusion = Confusion::new(decisions, truth, columns)?;
        let total = confusion.total();
        let mean = |of: fn(Counts) -> f64| {
            let values = confusion.per_class().iter().map(|&counts| Some(of(counts)));
            total.and(values.collect::<Mean>().value())
        };
        let with_ancestors = match ancestors {
            Some(ancestors) => hierarchical(decisions, truth, columns, ancestors)?,
            None => None,
        };
        Ok(Self::from_fn(|metric| match metric {
            FurtherMetric::FMax => f_max(&ranking),
            FurtherMetric::MicroPrecision => total.map(Counts::precision),
            FurtherMetric::MicroRecall => total.map(Counts::recall),
            FurtherMetric::MacroPrecision => mean(Counts::precision),
            FurtherMetric::MacroRecall => mean(Counts::recall),
            FurtherMetric::MacroAuc => macro_auc(&ranking),
            FurtherMetric::HierarchicalPrecision => with_ancestors.map(Counts::precision),
            FurtherMetric::HierarchicalRecall => with_ancestors.map(Counts::recall),
            FurtherMetric::HierarchicalF1 => with_ancestors.map(Counts::f1),
            FurtherMetric::Brier => brier(&probable),
            FurtherMetric::CalibrationError => {
                Reliability::new(&probable).expected_calibration_error()
            }
        }))
    }

    /// The metrics with the values that `value` gives.
    pub fn from_fn(value: impl FnMut(FurtherMetric) -> Option<f64>) -> Self {
        Self { values: FurtherMetric::ALL.map(value) }
    }

    /// The value of one metric.
    pub fn get(&self, metric: FurtherMetric) -> Option<f64> {
        self.values[metric as usize]
    }

    /// Every metric with its value, in the order of [`FurtherMetric::ALL`].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (FurtherMetric, Option<f64>)> + use<> {
        FurtherMetric::ALL.into_iter().zip(self.values)
    }
}

/// A map from the names of all further metrics to their values.
#[cfg(feature = "serde")]
impl serde::Serialize for FurtherMetrics {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(metric, value)| (metric.name(), value)))
    }
}
