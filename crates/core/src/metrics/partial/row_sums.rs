//! Metrics of single rows, summed.

use std::ops::AddAssign;

use super::super::ranked_row::RankedRow;
use super::super::{average_precision, one_error, ranking_loss};
use super::fixed_sum::FixedSum;

/// What rows add to the metrics that are means over rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct RowSums {
    pub rows: u64,
    pub average_precision: FixedSum,
    pub ranking_loss: FixedSum,
    /// How far down the last true class is, in classes.
    pub coverage: u64,
    /// Rows whose first class is wrong, out of those where one can be.
    pub top_wrong: u64,
    pub top_rows: u64,
    /// Rows with a true class.
    pub supported: u64,
}

impl RowSums {
    pub fn add(&mut self, row: &RankedRow) {
        self.rows += 1;
        self.average_precision += FixedSum::new(average_precision::of_row(row));
        self.ranking_loss += FixedSum::new(ranking_loss::of_row(row));
        let last = row.steps.last();
        self.coverage += last.map_or(0, |last| (last.positives + last.negatives) as u64);
        if let Some(error) = one_error::of_row(row) {
            self.top_wrong += u64::from(error > 0.0);
            self.top_rows += 1;
        }
        self.supported += u64::from(row.positives > 0);
    }

    /// The mean of a sum over all rows.
    pub fn mean(&self, sum: FixedSum) -> Option<f64> {
        (self.rows > 0).then(|| sum.value() / self.rows as f64)
    }
}

impl AddAssign for RowSums {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.average_precision += other.average_precision;
        self.ranking_loss += other.ranking_loss;
        self.coverage += other.coverage;
        self.top_wrong += other.top_wrong;
        self.top_rows += other.top_rows;
        self.supported += other.supported;
    }
}
