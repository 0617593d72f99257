//! Rows whose requirements could not be settled: how many, and which.

use rulebound_core::LayerError;
use serde::Serialize;

/// The most rows that are named.
const NAMED: usize = 20;

/// Rows whose requirements could not be settled within the limit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Unsettled {
    /// How many.
    pub rows: u64,
    /// The first of them, from 1.
    pub first: Vec<u64>,
}

impl Unsettled {
    /// Adds those of a batch whose first row has this number; returns them, counted from 0 in the batch.
    pub fn add(&mut self, first_row: u64, errors: &[LayerError]) -> Vec<usize> {
        let mut rows = Vec::with_capacity(errors.len());
        for error in errors {
            let LayerError::Unsettled { row, .. } = error else { continue };
            self.rows += 1;
            if self.first.len() < NAMED {
                self.first.push(first_row + *row as u64);
            }
            rows.push(*row);
        }
        rows
    }
}
