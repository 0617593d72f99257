//! A batch of rows as they were read.
//!
//! Invariant: `cells` has `width` numbers for each row, and `ids` one entry.

use rulebound_io::features::FeatureRow;

/// Consecutive rows. The same batch is refilled by every
/// [`RowReader::read`](super::RowReader::read).
#[derive(Clone, Debug, Default)]
pub struct RowBatch {
    first_row: u64,
    width: usize,
    cells: Vec<f32>,
    ids: Vec<Option<String>>,
    id_bytes: usize,
}

impl RowBatch {
    /// A batch without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of the first row, from 1.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.ids.len()
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The cells, row by row: `rows × width` numbers. NaN is a missing cell; a nominal cell is the
    /// index of its value in the list of its column.
    pub fn cells(&self) -> &[f32] {
        &self.cells
    }

    /// The id of a row (from 0 in this batch), if it has one.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn id(&self, row: usize) -> Option<&str> {
        self.ids[row].as_deref()
    }

    pub(super) fn clear(&mut self, first_row: u64, width: usize) {
        (self.first_row, self.width, self.id_bytes) = (first_row, width, 0);
        self.cells.clear();
        self.ids.clear();
    }

    pub(super) fn id_bytes(&self) -> usize {
        self.id_bytes
    }

    /// Adds a row, and returns its cells.
    pub(super) fn push(&mut self, id: Option<String>, features: FeatureRow<'_>) -> &[f32] {
        self.id_bytes += id.as_ref().map_or(0, String::len);
        self.ids.push(id);
        let begin = self.cells.len();
        match features {
            FeatureRow::Dense(cells) => self.cells.extend_from_slice(cells),
            sparse => {
                self.cells.resize(begin + self.width, 0.0);
                sparse.stored().for_each(|(column, cell)| self.cells[begin + column] = cell);
            }
        }
        &self.cells[begin..]
    }
}
