//! Cells that training saw nothing like: words that are new, numbers that are far away.
//!
//! They are no mistakes: a new word is treated as missing, and any number can be scaled. But where there are
//! many, the new rows are not like those that the model was fitted on, and its scores say little.

use super::range::FittedRange;

/// How many cells of a column had a value that did not occur in fitting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unseen {
    /// The name of the column.
    pub column: String,
    /// How many cells.
    pub cells: u64,
}

/// How many numbers of a column are far outside of those it was fitted on: further away than these are
/// apart.
#[derive(Clone, PartialEq, Debug)]
pub struct OutOfRange {
    /// The name of the column.
    pub column: String,
    /// How many cells.
    pub cells: u64,
    /// The numbers that it was fitted on.
    pub fitted: FittedRange,
    /// The smallest and the largest of the cells that are far outside.
    pub found: FittedRange,
}

/// What was unusual about some rows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UnusualCells {
    /// How many rows were looked at.
    pub rows: u64,
    /// How many of them have at least one number that is far outside.
    pub out_of_range_rows: u64,
    /// Columns with words that did not occur in fitting; the others are left out.
    pub unseen: Vec<Unseen>,
    /// Columns with numbers that are far outside, most cells first; the others are left out.
    pub out_of_range: Vec<OutOfRange>,
}

impl UnusualCells {
    /// The share of rows with a number that is far outside; 0 without rows.
    pub fn out_of_range_share(&self) -> f64 {
        self.out_of_range_rows as f64 / self.rows.max(1) as f64
    }
}

/// What a cell is to the column it was fitted on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Familiarity {
    Known,
    Unseen,
    OutOfRange,
}

/// Counts while rows are read, one entry per fitted column.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct UnusualCounts {
    pub rows: u64,
    pub rows_out_of_range: u64,
    pub columns: Vec<ColumnCounts>,
}

/// The counts of a column.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ColumnCounts {
    pub unseen: u64,
    pub out_of_range: u64,
    pub low: f32,
    pub high: f32,
}

impl Default for ColumnCounts {
    fn default() -> Self {
        Self { unseen: 0, out_of_range: 0, low: f32::INFINITY, high: f32::NEG_INFINITY }
    }
}

impl ColumnCounts {
    /// Counts a cell; whether it is far outside.
    pub(super) fn add(&mut self, familiarity: Familiarity, cell: f32) -> bool {
        match familiarity {
            Familiarity::Known => return false,
            Familiarity::Unseen => {
                self.unseen += 1;
                return false;
            }
            Familiarity::OutOfRange => {}
        }
        self.out_of_range += 1;
        self.low = self.low.min(cell);
        self.high = self.high.max(cell);
        true
    }
}
