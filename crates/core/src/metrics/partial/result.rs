//! What the summaries of all partitions come to.

use super::super::confusion::Confusion;
use super::super::metric::Metric;
use super::super::summary::Metrics;
use super::super::{hamming_loss, macro_f1, micro_f1, multilabel_accuracy};
use super::bounded::{Bounded, PairCounts, average_precision};
use super::f_max_change::f_max;
use super::partial_metrics::{PartialMetrics, Resolution};

/// The metrics of all rows of a summary.
///
/// They are those of [`Metrics`] for all rows at once: to the last bit, but for `average_precision` and
/// `ranking_loss`, means over rows that are summed there one after the other and here exactly (within 1e-12), and
/// `f_max`, where the same is true. AU(PRC) and macro AU(PRC) of scores that are cut are within their bounds.
#[derive(Clone, PartialEq, Debug)]
pub struct PartialResult {
    /// How many rows.
    pub rows: u64,
    /// All metrics.
    pub metrics: Metrics,
    /// AU(PRC) with its bounds.
    pub auprc: Option<Bounded>,
    /// Macro AU(PRC) with its bounds.
    pub macro_auprc: Option<Bounded>,
    /// F-max with its bounds; see [`f_max`](super::super::f_max()).
    pub f_max: Option<Bounded>,
    /// The average precision of each class of a row; `None` for those that do not count or have no positive.
    pub classes: Vec<Option<Bounded>>,
}

impl PartialMetrics {
    /// The metrics of all rows.
    pub fn finish(&self) -> PartialResult {
        let is_cut = self.resolution != Resolution::Exact;
        let counted = self.columns.counted();
        let entries = self.pairs.entries();
        let mut classes = vec![None; self.columns.classes()];
        for of_class in entries.chunk_by(|a, b| a.0.0 == b.0.0) {
            let counts = of_class.iter().rev().map(|entry| entry.1);
            classes[of_class[0].0.0 as usize] = average_precision(counts, is_cut);
        }
        let macro_auprc = Bounded::mean(counted.iter().map(|&class| classes[class]));
        let auprc = {
            let mut pooled: Vec<(u64, PairCounts)> =
                entries.iter().map(|&((_, key), counts)| (key, counts)).collect();
            pooled.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.0));
            let scores = pooled.chunk_by(|a, b| a.0 == b.0).map(|tied| {
                let mut sum = PairCounts::default();
                tied.iter().for_each(|entry| sum += entry.1);
                sum
            });
            average_precision(scores, is_cut)
        };
        let changes = self.f_max.entries();
        let f_max = f_max(changes.iter().rev().map(|entry| entry.1), self.sums.supported, is_cut);
        let pairs = self.rows as usize * counted.len();
        let confusion = Confusion::from_counts(self.counts.clone(), pairs);
        let sums = self.sums;
        let share = |part: u64, of: u64| (of > 0).then(|| part as f64 / of as f64);
        let metrics = Metrics::from_fn(|metric| match metric {
            Metric::Auprc => auprc.map(|auprc| auprc.value),
            Metric::AveragePrecision => sums.mean(sums.average_precision),
            Metric::CoverageError => share(sums.coverage, sums.rows)
                .map(|coverage| (coverage - 1.0) / counted.len() as f64),
            Metric::HammingLoss => hamming_loss(&confusion),
            Metric::MultilabelAccuracy => multilabel_accuracy(&confusion),
            Metric::OneError => share(sums.top_wrong, sums.top_rows),
            Metric::RankingLoss => sums.mean(sums.ranking_loss),
            Metric::MicroF1 => micro_f1(&confusion),
            Metric::MacroF1 => macro_f1(&confusion),
            Metric::MacroAuprc => macro_auprc.map(|auprc| auprc.value),
        });
        PartialResult { rows: self.rows, metrics, auprc, macro_auprc, f_max, classes }
    }
}
