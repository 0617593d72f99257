//! The rows that trees are grown on: inputs by column, presorted, and what classes weigh.

use super::class_weights::class_weights;
use crate::learner::rows::FitRows;
use crate::learner::tree::{LabelSets, SetNumbers};

/// The rows of all trees of a fit.
pub(super) struct TreeRows {
    pub(super) columns: Vec<Column>,
    pub(super) sets: LabelSets,
    pub(super) set_of: SetNumbers,
    pub(super) weights: Vec<f64>,
    /// How many classes the variance is a mean over: those that not every row has.
    pub(super) counted: f64,
}

/// An input of all rows.
pub(super) struct Column {
    pub(super) cells: Vec<f32>,
    /// The number of values of a code.
    pub(super) values: Option<u32>,
    /// The rows where a number is known, largest first; equal ones in their order.
    pub(super) descending: Vec<u32>,
}

impl TreeRows {
    pub(super) fn new(rows: &FitRows<'_>) -> Self {
        let (sets, set_of) = LabelSets::new(rows);
        let mut counts = vec![0; rows.classes()];
        for &set in &set_of {
            for &class in sets.set(set) {
                counts[class as usize] += 1;
            }
        }
        let weights = class_weights(rows.program(), |class| counts[class] == rows.rows());
        let counted = weights.iter().filter(|&&weight| weight > 0.0).count() as f64;
        let columns = (0..rows.width()).map(|input| Column::new(rows, input)).collect();
        Self { columns, sets, set_of, weights, counted }
    }

    /// The classes of a row.
    pub(super) fn classes(&self, row: u32) -> &[u32] {
        self.sets.set(self.set_of[row as usize])
    }
}

impl Column {
    fn new(rows: &FitRows<'_>, input: usize) -> Self {
        let cells: Vec<f32> = (0..rows.rows()).map(|row| rows.row(row)[input]).collect();
        let values = rows.values(input);
        let mut descending = Vec::new();
        if values.is_none() {
            descending.extend((0..rows.rows() as u32).filter(|&row| !cells[row as usize].is_nan()));
            descending.sort_by(|&a, &b| cells[b as usize].total_cmp(&cells[a as usize]));
        }
        Self { cells, values, descending }
    }
}
