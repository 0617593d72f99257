//! Rows of inputs, packed as the layers read them.
//!
//! Rows are stored in groups of four. A group holds, for every sixteen columns, the blocks of its
//! four rows side by side; past the last row and the last column there are zeros. An extra last
//! column is 1 in every actual row: its weights are the biases.

use super::lanes::{Block, blocks};
use rulebound_io::features::FeatureRow;

/// Rows per group.
pub(super) const GROUP: usize = 4;

/// Four blocks of one group: rows side by side.
pub(super) type Four = [Block; GROUP];

/// Rows of inputs to a layer.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    rows: usize,
    width: usize,
    cells: Vec<Four>,
}

impl Batch {
    /// Resizes to `rows` rows of `width` numbers and sets all of them to 0, the column of ones to
    /// 1.
    pub fn reset(&mut self, rows: usize, width: usize) {
        self.rows = rows;
        self.width = width;
        self.cells.clear();
        self.cells.resize(self.groups() * self.blocks(), [Block::ZERO; GROUP]);
        for row in 0..rows {
            self.set(row, width, 1.0);
        }
    }

    /// Copies a row in, once after each [`reset`](Self::reset).
    ///
    /// # Panics
    /// If there is no such row, or it is not as wide as the batch.
    pub fn fill_row(&mut self, row: usize, values: FeatureRow<'_>) {
        assert!(row < self.rows && values.len() == self.width);
        let FeatureRow::Dense(values) = values else {
            // Since the reset all others are 0.
            return values.stored().for_each(|(column, value)| self.set(row, column, value));
        };
        let start = row / GROUP * self.blocks();
        for (four, values) in self.cells[start..].iter_mut().zip(values.chunks(Block::LANES)) {
            four[row % GROUP].0[..values.len()].copy_from_slice(values);
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Numbers per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Groups of four rows; the last may not be full.
    pub(super) fn groups(&self) -> usize {
        self.rows.div_ceil(GROUP)
    }

    /// Blocks per row, including the column of ones.
    pub(super) fn blocks(&self) -> usize {
        blocks(self.width + 1)
    }

    pub(super) fn cells(&self) -> &[Four] {
        &self.cells
    }

    #[inline(always)]
    pub(super) fn set(&mut self, row: usize, column: usize, value: f32) {
        let at = row / GROUP * self.blocks() + column / Block::LANES;
        self.cells[at][row % GROUP].0[column % Block::LANES] = value;
    }
}
