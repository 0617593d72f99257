//! The cells of some rows of a text table, unquoted, in one reusable buffer.

/// Cells in row order; each row has the same number of columns.
#[derive(Debug, Default)]
pub struct TextRows {
    /// The text of all cells, followed by spare room.
    bytes: Vec<u8>,
    /// How much of `bytes` is text.
    used: usize,
    /// Where each cell ends in `bytes`.
    ends: Vec<usize>,
    columns: usize,
}

/// The initial size of the buffer.
const FIRST_ROOM: usize = 1 << 12;

impl TextRows {
    /// Removes all rows; the next ones have `columns` columns.
    pub fn clear(&mut self, columns: usize) {
        self.used = 0;
        self.ends.clear();
        self.columns = columns;
    }

    pub(crate) fn rows(&self) -> usize {
        self.ends.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The memory that the rows take, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.used + size_of_val(self.ends.as_slice())
    }

    /// The bytes of a cell.
    pub fn cell(&self, row: usize, column: usize) -> &[u8] {
        let cell = row * self.columns + column;
        let start = cell.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[cell]]
    }

    /// How many bytes of text there are.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Removes the bytes from `used` on.
    pub fn cut(&mut self, used: usize) {
        self.used = used;
    }

    /// Spare room to write into, never empty; written bytes count only after [`Self::grow`].
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.used == self.bytes.len() {
            let length = (2 * self.bytes.len()).max(FIRST_ROOM);
            self.bytes.resize(length, 0);
        }
        &mut self.bytes[self.used..]
    }

    /// Counts `written` bytes of the spare room as text.
    pub(crate) fn grow(&mut self, written: usize) {
        self.used += written;
    }

    /// Adds a whole cell.
    pub(crate) fn push_cell(&mut self, text: &[u8]) {
        self.bytes.truncate(self.used);
        self.bytes.extend_from_slice(text);
        self.used = self.bytes.len();
        self.ends.push(self.used);
    }

    /// Ends the next cell at `end`.
    pub(crate) fn end_cell(&mut self, end: usize) {
        self.ends.push(end);
    }
}
