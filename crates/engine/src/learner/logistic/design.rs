//! The rows that all regressions of a fit share.

use rulebound_core::LabelId;

use super::super::matrix::transposed;
use super::super::memory_need::expect_memory;
use super::super::rows::{FitError, FitRows};

/// A matrix of predictors: a one for the intercept, the inputs, and labels if there are any; by row
/// and by column.
#[derive(Clone, Debug)]
pub(in super::super) struct Design {
    rows: usize,
    width: usize,
    by_row: Vec<f64>,
    by_column: Vec<f64>,
}

impl Design {
    /// The inputs of these rows, and then these labels, in this order.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(rows: &FitRows<'_>, labels: &[usize]) -> Result<Self, FitError> {
        let width = 1 + rows.width() + labels.len();
        expect_memory("logistic regression", 2 * rows.rows() as u128 * width as u128)?;
        let mut by_row = Vec::with_capacity(rows.rows() * width);
        for row in 0..rows.rows() {
            by_row.push(1.0);
            by_row.extend(rows.row(row).iter().map(|&input| f64::from(input)));
            by_row.extend(labels.iter().map(|&label| has(rows, row, label)));
        }
        let by_column = transposed(&by_row, width);
        Ok(Self { rows: rows.rows(), width, by_row, by_column })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of predictors, with the intercept.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Row by row.
    pub fn by_row(&self) -> &[f64] {
        &self.by_row
    }

    /// Column by column.
    pub fn by_column(&self) -> &[f64] {
        &self.by_column
    }
}

fn has(rows: &FitRows<'_>, row: usize, label: usize) -> f64 {
    f64::from(u8::from(rows.labels().contains(row, LabelId::new(label))))
}
