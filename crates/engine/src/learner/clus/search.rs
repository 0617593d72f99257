//! The best test of a node.
//!
//! The order decides between equals, as in CLUS: inputs in their order, thresholds from the largest
//! value down, and a later test must be better by more than [`MARGIN`].

use super::f_test::FTest;
use super::grow::NodeRows;
use super::rows::{Column, TreeRows};
use super::settings::ClusSettings;
use super::sums::NodeSums;

/// By how much a later test must be better.
const MARGIN: f64 = 1e-6;

/// A test, and the share of the known rows that it sends to `yes`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BestTest {
    pub(super) input: u32,
    pub(super) question: Question,
    pub(super) share: f64,
    gain: f64,
}

/// What a test asks of its input.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Question {
    /// Whether it is above this number.
    Above(f32),
    /// Whether it is one of these codes, ascending.
    Among(Vec<u32>),
}

impl Question {
    /// The answer for a known value.
    pub(super) fn is_yes(&self, value: f32) -> bool {
        match self {
            Self::Above(threshold) => value > *threshold,
            Self::Among(codes) => codes.iter().any(|&code| code as f32 == value),
        }
    }
}

/// Searches for tests.
pub(super) struct Search<'a> {
    rows: &'a TreeRows,
    least: f64,
    test: &'a FTest,
    sums: NodeSums,
}

impl<'a> Search<'a> {
    pub(super) fn new(rows: &'a TreeRows, settings: &ClusSettings, test: &'a FTest) -> Self {
        Self { rows, least: settings.minimal_weight, test, sums: NodeSums::new(&rows.weights) }
    }

    /// The best test of a node, if any is worth something; `weights` has the weight of each row.
    pub(super) fn best(&mut self, node: &NodeRows, weights: &[f64]) -> Option<BestTest> {
        let rows = self.rows;
        self.sums.begin(node.rows.iter().map(|&(row, weight)| (weight, rows.classes(row))));
        let mut best = None;
        for (input, column) in rows.columns.iter().enumerate() {
            let is_missing = |row: u32| column.cells[row as usize].is_nan();
            let missing = node.rows.iter().filter(|row| is_missing(row.0));
            let missing = missing.map(|&(row, weight)| (weight, rows.classes(row)));
            let has_missing = match column.values {
                None => node.descending[input].len() < node.rows.len(),
                Some(_) => node.rows.iter().any(|row| is_missing(row.0)),
            };
            let left = has_missing.then(|| self.sums.without(missing));
            self.sums.empty();
            let found = match column.values {
                None => self.threshold(column, &node.descending[input], weights, &best),
                Some(values) => self.subset(column, values, node, &best),
            };
            if let Some((question, weight, gain)) = found {
                let share = weight / self.sums.weight();
                best = Some(BestTest { input: input as u32, question, share, gain });
            }
            if let Some(left) = left {
                self.sums.restore(left);
            }
        }
        best
    }

    fn threshold(
        &mut self,
        column: &Column,
        descending: &[u32],
        weights: &[f64],
        best: &Option<BestTest>,
    ) -> Option<(Question, f64, f64)> {
        let mut found = None;
        let mut least = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.gain);
        let mut before = f32::NAN;
        for &row in descending {
            let value = column.cells[row as usize];
            if value != before {
                let part = self.sums.part();
                let gain = self.sums.gain(part, self.least, self.rows.counted, self.test);
                if let Some(gain) = gain.filter(|&gain| gain > least + MARGIN) {
                    found = Some((Question::Above(value), part.weight, gain));
                    least = gain;
                }
                before = value;
            }
            self.sums.add(weights[row as usize], self.rows.classes(row));
        }
        found
    }

    /// A subset of the codes, grown one at a time while the gain grows; of two codes, the first.
    fn subset(
        &mut self,
        column: &Column,
        values: u32,
        node: &NodeRows,
        best: &Option<BestTest>,
    ) -> Option<(Question, f64, f64)> {
        let values = values as usize;
        let mut of_value: Vec<(f64, Vec<(u32, f64)>)> = vec![Default::default(); values];
        let known = node.rows.iter().filter(|row| !column.cells[row.0 as usize].is_nan());
        for &(row, weight) in known {
            let Some(sums) = of_value.get_mut(column.cells[row as usize] as usize) else {
                continue;
            };
            sums.0 += weight;
            sums.1.extend(self.rows.classes(row).iter().map(|&class| (class, weight)));
        }
        for (_, classes) in &mut of_value {
            classes.sort_by_key(|class| class.0);
            classes.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1 += next.1;
                }
                is_same
            });
        }
        let mut found: Option<(f64, f64)> = None;
        let mut chosen = vec![false; values];
        let candidates = if values == 2 { 1 } else { values };
        for _ in 1..values {
            let mut next = None;
            for value in (0..candidates).filter(|&value| !chosen[value]) {
                let (weight, classes) = &of_value[value];
                let part = self.sums.with(*weight, classes);
                let gain = self.sums.gain(part, self.least, self.rows.counted, self.test);
                let gain = gain.filter(|&gain| found.is_none_or(|found| gain > found.1));
                if let Some(gain) = gain {
                    found = Some((part.weight, gain));
                    next = Some((value, part));
                }
            }
            let Some((value, part)) = next else { break };
            chosen[value] = true;
            self.sums.extend(part, &of_value[value].1);
        }
        let least = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.gain);
        let (weight, gain) = found.filter(|&(_, gain)| gain > least + MARGIN)?;
        let codes = (0..).zip(chosen).filter(|code| code.1).map(|code| code.0).collect();
        Some((Question::Among(codes), weight, gain))
    }
}
