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

/// Gains of subsets of values that are nearer are equal: those of a subset and of all other values
/// are the same, and rounding must not choose between them.
const ROUNDING: f64 = 1e-12;

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
        Self { rows, least: settings.minimal_weight, test, sums: NodeSums::new(rows) }
    }

    /// The best test of a node, if any is worth something.
    pub(super) fn best(&mut self, node: &NodeRows) -> Option<BestTest> {
        let rows = self.rows;
        self.sums.begin(rows, &node.rows);
        let mut best = None;
        for (input, column) in rows.columns.iter().enumerate() {
            let is_missing = |row: u32| column.cells[row as usize].is_nan();
            let is_complete =
                column.values.is_none() && node.descending[input].len() == node.rows.len();
            let missing = if is_complete { &[] } else { &node.rows[..] };
            let missing = missing.iter().map(|row| row.0).filter(|&row| is_missing(row));
            self.sums.without(missing);
            let found = match column.values {
                None => self.threshold(column, &node.descending[input], &best),
                Some(values) => self.subset(column, values, node, &best),
            };
            if let Some((question, weight, gain)) = found {
                let share = weight / self.sums.weight();
                best = Some(BestTest { input: input as u32, question, share, gain });
            }
            self.sums.restore();
        }
        best
    }

    fn threshold(
        &mut self,
        column: &Column,
        descending: &[u32],
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
            self.sums.add(row);
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
        let is_of = |row: u32, value: usize| column.cells[row as usize] == value as f32;
        let of_value = |value: usize| {
            let of = node.rows.iter().map(|row| row.0).filter(move |&row| is_of(row, value));
            self.sums.group(of)
        };
        let of_value: Vec<_> = (0..values).map(of_value).collect();
        let mut found: Option<(f64, f64)> = None;
        let mut chosen = vec![false; values];
        let candidates = if values == 2 { 1 } else { values };
        for _ in 1..values {
            let mut next = None;
            for value in (0..candidates).filter(|&value| !chosen[value]) {
                let part = self.sums.with(&of_value[value]);
                let gain = self.sums.gain(part, self.least, self.rows.counted, self.test);
                let gain = gain.filter(|&gain| found.is_none_or(|found| gain > found.1 + ROUNDING));
                if let Some(gain) = gain {
                    found = Some((part.weight, gain));
                    next = Some((value, part));
                }
            }
            let Some((value, part)) = next else { break };
            chosen[value] = true;
            self.sums.extend(part, &of_value[value]);
        }
        let least = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.gain);
        let (weight, gain) = found.filter(|&(_, gain)| gain > least + MARGIN)?;
        let codes = (0..).zip(chosen).filter(|code| code.1).map(|code| code.0).collect();
        Some((Question::Among(codes), weight, gain))
    }
}
