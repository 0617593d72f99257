//! The rows that a forest is grown on, by column.

use crate::learner::rows::FitRows;
use crate::learner::tree::{LabelSets, SetNumbers};

/// The rows of all trees of a fit.
pub(super) struct ForestRows {
    columns: Vec<Column>,
    pub(super) features: Vec<Feature>,
    pub(super) sets: LabelSets,
    pub(super) set_of: SetNumbers,
    pub(super) classes: usize,
}

/// An input of all rows.
pub(super) struct Column {
    /// The cells; where a number is missing, the mean.
    pub(super) cells: Vec<f32>,
    /// The mean of the known numbers.
    pub(super) mean: f32,
}

/// What a node can test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Feature {
    /// Whether a number is above a threshold.
    Number(u32),
    /// Whether an input has this code.
    Code(u32, u32),
}

impl ForestRows {
    pub(super) fn new(rows: &FitRows<'_>) -> Self {
        let (sets, set_of) = LabelSets::new(rows);
        let features = (0..rows.width()).flat_map(|input| {
            let codes = rows.values(input).unwrap_or(0);
            let number = (codes == 0).then_some(Feature::Number(input as u32));
            number.into_iter().chain((0..codes).map(move |code| Feature::Code(input as u32, code)))
        });
        let features = features.collect();
        let columns = (0..rows.width()).map(|input| Column::new(rows, input)).collect();
        Self { columns, features, sets, set_of, classes: rows.classes() }
    }

    /// The input of a feature.
    pub(super) fn column(&self, feature: Feature) -> &Column {
        let (Feature::Number(input) | Feature::Code(input, _)) = feature;
        &self.columns[input as usize]
    }
}

impl Column {
    fn new(rows: &FitRows<'_>, input: usize) -> Self {
        let mut cells: Vec<f32> = (0..rows.rows()).map(|row| rows.row(row)[input]).collect();
        let known = cells.iter().filter(|cell| !cell.is_nan());
        let count = known.clone().count();
        let sum: f64 = known.map(|&cell| f64::from(cell)).sum();
        let mean = if count == 0 { 0.0 } else { (sum / count as f64) as f32 };
        if rows.values(input).is_none() {
            cells.iter_mut().filter(|cell| cell.is_nan()).for_each(|cell| *cell = mean);
        }
        Self { cells, mean }
    }
}
