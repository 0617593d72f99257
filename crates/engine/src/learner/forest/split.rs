//! The best of some random splits of a node.

use super::rows::{Feature, ForestRows};
use super::settings::{ForestSettings, SplitThresholds};
use super::sketch::Sketch;
use super::stream::Stream;
use crate::random::unit;

/// A split: what is asked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Split {
    pub(super) feature: Feature,
    /// For a number, the threshold.
    pub(super) threshold: f32,
    gain: f64,
}

impl Split {
    /// Whether a row with this value goes to `yes`; a missing code does not.
    pub(super) fn is_yes(&self, value: f32) -> bool {
        match self.feature {
            Feature::Number(_) => value > self.threshold,
            Feature::Code(_, code) => value == code as f32,
        }
    }
}

/// Searches for splits.
pub(super) struct Splitter<'a> {
    rows: &'a ForestRows,
    settings: &'a ForestSettings,
    weights: &'a [f64],
    sketch: &'a Sketch,
    /// The features, those tried in this node first.
    order: Vec<u32>,
    /// The weight and the summed sketches of the node, and of the part that goes to `yes`.
    whole: Sums,
    yes: Sums,
    sorted: Vec<(f32, u32)>,
}

/// The weight of some rows and their summed sketches.
struct Sums {
    weight: f64,
    sketch: Vec<f64>,
}

impl Sums {
    fn empty(&mut self) {
        self.weight = 0.0;
        self.sketch.fill(0.0);
    }

    fn add(&mut self, weight: f64, sketch: &[f32]) {
        self.weight += weight;
        for (sum, &value) in self.sketch.iter_mut().zip(sketch) {
            *sum += f64::from(value) * weight;
        }
    }

    fn squares(&self) -> f64 {
        self.sketch.iter().map(|value| value * value).sum()
    }
}

impl<'a> Splitter<'a> {
    pub(super) fn new(
        rows: &'a ForestRows,
        weights: &'a [f64],
        sketch: &'a Sketch,
        settings: &'a ForestSettings,
    ) -> Self {
        let sums = || Sums { weight: 0.0, sketch: vec![0.0; sketch.width()] };
        let order = (0..rows.features.len() as u32).collect();
        let sorted = Vec::new();
        Self { rows, settings, weights, sketch, order, whole: sums(), yes: sums(), sorted }
    }

    /// The best split of the rows of a node among those tried, if any is worth something.
    pub(super) fn best(&mut self, node: &[u32], stream: &mut Stream) -> Option<Split> {
        self.whole.empty();
        let mut squares = 0.0;
        for &row in node {
            let (sketch, weight) =
                (self.sketch.of(self.rows.set_of[row as usize]), self.weights[row as usize]);
            self.whole.add(weight, sketch);
            squares += sketch.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>() * weight;
        }
        // Rounding must not pass for a gain.
        let least = 1e-9 * squares;
        if squares - self.whole.squares() / self.whole.weight <= least {
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
                (Feature::Number(_), SplitThresholds::Best) => self.best_threshold(feature, node),
                _ => self.at_threshold(feature, within(range, unit(chance)), node),
            };
            let bar = best.map_or(least, |best| best.gain);
            best = found.filter(|found| found.gain > bar).or(best);
        }
        best
    }

    /// The least and the largest value, 0 and 1 for a code; `None` if they are the same.
    fn range(&self, feature: Feature, node: &[u32]) -> Option<(f32, f32)> {
        let cells = &self.rows.column(feature).cells;
        let values = node.iter().map(|&row| cells[row as usize]);
        let extremes = |(low, high): (f32, f32), value: f32| (low.min(value), high.max(value));
        let none = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = match feature {
            Feature::Number(_) => values.fold(none, extremes),
            Feature::Code(_, code) => {
                values.map(|value| f32::from(u8::from(value == code as f32))).fold(none, extremes)
            }
        };
        (low < high).then_some((low, high))
    }

    fn at_threshold(&mut self, feature: Feature, threshold: f32, node: &[u32]) -> Option<Split> {
        let split = Split { feature, threshold, gain: 0.0 };
        let cells = &self.rows.column(feature).cells;
        self.yes.empty();
        let mut yes = 0;
        for &row in node {
            if split.is_yes(cells[row as usize]) {
                self.yes.add(
                    self.weights[row as usize],
                    self.sketch.of(self.rows.set_of[row as usize]),
                );
                yes += 1;
            }
        }
        self.valued(split, yes, node.len())
    }

    fn best_threshold(&mut self, feature: Feature, node: &[u32]) -> Option<Split> {
        let cells = &self.rows.column(feature).cells;
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend(node.iter().map(|&row| (cells[row as usize], row)));
        sorted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.yes.empty();
        let mut best: Option<Split> = None;
        for (before, pair) in sorted.windows(2).enumerate() {
            let ((value, row), (next, _)) = (pair[0], pair[1]);
            self.yes
                .add(self.weights[row as usize], self.sketch.of(self.rows.set_of[row as usize]));
            if next < value {
                let split = Split { feature, threshold: within((next, value), 0.5), gain: 0.0 };
                let found = self.valued(split, before + 1, node.len());
                let bar = best.map_or(0.0, |best| best.gain);
                best = found.filter(|found| found.gain > bar).or(best);
            }
        }
        self.sorted = sorted;
        best
    }

    /// The split with its gain, when this many of the rows go to `yes`; `None` if a side is too
    /// small.
    fn valued(&self, split: Split, yes: usize, rows: usize) -> Option<Split> {
        if yes < self.settings.leaf || rows - yes < self.settings.leaf {
            return None;
        }
        let no = self.whole.sketch.iter().zip(&self.yes.sketch).map(|(whole, yes)| whole - yes);
        let no: f64 = no.map(|value| value * value).sum();
        let gain = self.yes.squares() / self.yes.weight
            + no / (self.whole.weight - self.yes.weight)
            - self.whole.squares() / self.whole.weight;
        Some(Split { gain, ..split })
    }
}

/// A number from `low` up to but not including `high`.
fn within((low, high): (f32, f32), share: f32) -> f32 {
    let number = low + share * (high - low);
    if number >= low && number < high { number } else { low }
}
