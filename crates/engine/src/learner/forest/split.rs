//! The best of some random splits of a node.

use super::rows::{Feature, ForestRows};
use super::settings::{ForestSettings, SplitThresholds};
use super::stream::Stream;
use crate::random::unit;

/// A split: what is asked, and where rows go whose value is missing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Split {
    pub(super) feature: Feature,
    /// For a number, the threshold.
    pub(super) threshold: f32,
    pub(super) missing_is_yes: bool,
    gain: f64,
}

impl Split {
    /// Whether a row with this value goes to `yes`.
    pub(super) fn is_yes(&self, value: f32) -> bool {
        match self.feature {
            _ if value.is_nan() => self.missing_is_yes,
            Feature::Number(_) => value > self.threshold,
            Feature::Code(_, code) => value == code as f32,
        }
    }
}

/// Searches for splits.
pub(super) struct Splitter<'a> {
    rows: &'a ForestRows,
    settings: &'a ForestSettings,
    /// The features, those tried in this node first.
    order: Vec<u32>,
    whole: Vec<f64>,
    yes: Vec<f64>,
    missing: Vec<f64>,
    sorted: Vec<(f32, u32)>,
}

/// Weights of the three parts of a node.
#[derive(Clone, Copy, Default)]
struct Counts {
    yes: f64,
    missing: f64,
    all: f64,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(rows: &'a ForestRows, settings: &'a ForestSettings) -> Self {
        let zeros = vec![0.0; rows.sketch.width()];
        Self {
            rows,
            settings,
            order: (0..rows.features.len() as u32).collect(),
            whole: zeros.clone(),
            yes: zeros.clone(),
            missing: zeros,
            sorted: Vec::new(),
        }
    }

    /// The best split of the rows of a node among those tried, if any is worth something.
    pub(super) fn best(
        &mut self,
        node: &[u32],
        weights: &[f64],
        stream: &mut Stream,
    ) -> Option<Split> {
        self.whole.fill(0.0);
        let mut all = 0.0;
        let mut squares = 0.0;
        for &row in node {
            let (sketch, weight) = (self.rows.sketch_of(row), weights[row as usize]);
            all += weight;
            add(&mut self.whole, sketch, weight);
            squares += sketch.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>() * weight;
        }
        // What is left of the squares when the mean is taken off; rounding must not pass for a gain.
        let spread = squares - norm(&self.whole) / all;
        let least = 1e-9 * squares.max(f64::MIN_POSITIVE);
        if spread <= least {
            return None;
        }
        let wanted = (self.rows.features.len() as f64 * self.settings.inputs).round().max(1.0);
        let mut tried = 0.0;
        let mut best: Option<Split> = None;
        for place in 0..self.order.len() {
            if tried >= wanted {
                break;
            }
            let other = place + stream.below(self.order.len() - place);
            self.order.swap(place, other);
            let feature = self.rows.features[self.order[place] as usize];
            let chance = stream.bits();
            let Some(range) = self.range(feature, node) else { continue };
            tried += 1.0;
            let found = match (feature, self.settings.thresholds) {
                (Feature::Number(_), SplitThresholds::Best) => {
                    self.best_threshold(feature, node, weights, all)
                }
                _ => {
                    let threshold = within(range, unit(chance));
                    self.at_threshold(feature, threshold, node, weights, all)
                }
            };
            let bar = best.map_or(least, |best| best.gain);
            best = found.filter(|found| found.gain > bar).or(best);
        }
        best
    }

    /// The least and the largest known value; `None` if they are the same.
    fn range(&self, feature: Feature, node: &[u32]) -> Option<(f32, f32)> {
        let column = self.rows.column(feature);
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        match feature {
            Feature::Number(_) => {
                for &row in node {
                    let value = column[row as usize];
                    low = low.min(value);
                    high = high.max(value);
                }
            }
            Feature::Code(_, code) => {
                for value in node.iter().map(|&row| column[row as usize]) {
                    if !value.is_nan() {
                        let is = f32::from(u8::from(value == code as f32));
                        low = low.min(is);
                        high = high.max(is);
                    }
                }
            }
        }
        (low < high).then_some((low, high))
    }

    fn at_threshold(
        &mut self,
        feature: Feature,
        threshold: f32,
        node: &[u32],
        weights: &[f64],
        all: f64,
    ) -> Option<Split> {
        let split = Split { feature, threshold, missing_is_yes: false, gain: 0.0 };
        let column = self.rows.column(feature);
        self.yes.fill(0.0);
        self.missing.fill(0.0);
        let mut counts = Counts { all, ..Counts::default() };
        let (mut yes, mut missing) = (0, 0);
        for &row in node {
            let value = column[row as usize];
            let weight = weights[row as usize];
            if value.is_nan() {
                add(&mut self.missing, self.rows.sketch_of(row), weight);
                counts.missing += weight;
                missing += 1;
            } else if split.is_yes(value) {
                add(&mut self.yes, self.rows.sketch_of(row), weight);
                counts.yes += weight;
                yes += 1;
            }
        }
        self.valued(split, counts, yes, missing, node.len())
    }

    fn best_threshold(
        &mut self,
        feature: Feature,
        node: &[u32],
        weights: &[f64],
        all: f64,
    ) -> Option<Split> {
        let column = self.rows.column(feature);
        self.yes.fill(0.0);
        self.missing.fill(0.0);
        self.sorted.clear();
        let mut counts = Counts { all, ..Counts::default() };
        for &row in node {
            let value = column[row as usize];
            if value.is_nan() {
                add(&mut self.missing, self.rows.sketch_of(row), weights[row as usize]);
                counts.missing += weights[row as usize];
            } else {
                self.sorted.push((value, row));
            }
        }
        self.sorted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let missing = node.len() - self.sorted.len();
        let sorted = std::mem::take(&mut self.sorted);
        let mut best: Option<Split> = None;
        for (yes, pair) in sorted.windows(2).enumerate() {
            let ((value, row), (next, _)) = (pair[0], pair[1]);
            add(&mut self.yes, self.rows.sketch_of(row), weights[row as usize]);
            counts.yes += weights[row as usize];
            if next < value {
                let threshold = within((next, value), 0.5);
                let split = Split { feature, threshold, missing_is_yes: false, gain: 0.0 };
                let found = self.valued(split, counts, yes + 1, missing, node.len());
                let bar = best.map_or(0.0, |best| best.gain);
                best = found.filter(|found| found.gain > bar).or(best);
            }
        }
        self.sorted = sorted;
        best
    }

    /// The split with its gain and the better place for missing values; `None` if a side is too
    /// small either way.
    fn valued(
        &mut self,
        split: Split,
        counts: Counts,
        yes: usize,
        missing: usize,
        rows: usize,
    ) -> Option<Split> {
        let fits = |yes: usize| yes >= self.settings.leaf && rows - yes >= self.settings.leaf;
        let gain = |yes: &[f64], weight: f64| {
            let no = self.whole.iter().zip(yes).map(|(whole, yes)| whole - yes);
            norm(yes) / weight + no.map(|value| value * value).sum::<f64>() / (counts.all - weight)
                - norm(&self.whole) / counts.all
        };
        let with_no = fits(yes).then(|| gain(&self.yes, counts.yes));
        if missing == 0 {
            let missing_is_yes = counts.yes * 2.0 > counts.all;
            return Some(Split { missing_is_yes, gain: with_no?, ..split });
        }
        let both: Vec<f64> = self.yes.iter().zip(&self.missing).map(|(a, b)| a + b).collect();
        let with_yes = fits(yes + missing).then(|| gain(&both, counts.yes + counts.missing));
        match (with_yes, with_no) {
            (Some(yes), no) if no.is_none_or(|no| yes > no) => {
                Some(Split { missing_is_yes: true, gain: yes, ..split })
            }
            (_, no) => Some(Split { missing_is_yes: false, gain: no?, ..split }),
        }
    }
}

/// A number from `low` up to but not including `high`.
fn within((low, high): (f32, f32), share: f32) -> f32 {
    let number = low + share * (high - low);
    if number >= low && number < high { number } else { low }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

fn add(sums: &mut [f64], sketch: &[f32], weight: f64) {
    for (sum, &value) in sums.iter_mut().zip(sketch) {
        *sum += f64::from(value) * weight;
    }
}
