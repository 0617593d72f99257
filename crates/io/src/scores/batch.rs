//! A batch of rows: the checked scores, and the original cells to copy from.
//!
//! Invariant: `values` has one number per row and class, none of them NaN unless labels are read, and
//! row `r` of `values` is row `r` of the original cells.

use std::borrow::Cow;

use crate::table::TextRows;
#[cfg(feature = "parquet")]
use crate::table::parquet::ParquetBatch;

/// Consecutive rows of a table. The same batch is refilled by every
/// [`ScoreReader::read`](super::ScoreReader::read).
#[derive(Debug, Default)]
pub struct ScoreBatch {
    pub(super) first_row: u64,
    pub(super) rows: usize,
    pub(super) classes: usize,
    pub(super) values: Vec<f64>,
    pub(super) original: Original,
    pub(super) id: Option<usize>,
    /// Rows, ascending, whose class cells are left blank where they are written.
    pub(super) blank: Vec<usize>,
}

/// The cells as they were read.
#[derive(Debug)]
pub(super) enum Original {
    Text(TextRows),
    #[cfg(feature = "parquet")]
    Parquet(ParquetBatch),
}

impl Default for Original {
    fn default() -> Self {
        Self::Text(TextRows::default())
    }
}

impl ScoreBatch {
    /// A batch without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of the first row in the file, from 1, not counting the header.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many classes there are, with or without a column.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The scores, row by row, each row in the order of the classes: `rows × classes` numbers.
    /// A class without a column has 0.0.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The text of `row` (from 0 in this batch) in the id column; `None` without an id column.
    /// Bytes that are not UTF-8 are replaced.
    pub fn id(&self, row: usize) -> Option<Cow<'_, str>> {
        self.text(row, self.id?)
    }

    /// Leaves the class cells of these rows, ascending, blank wherever they are written: empty in text, and
    /// in other formats not a number, the decision 255 and the empty name.
    pub fn leave_blank(&mut self, rows: Vec<usize>) {
        self.blank = rows;
    }

    /// Whether the class cells of a row are left blank.
    pub fn is_blank(&self, row: usize) -> bool {
        !self.blank.is_empty() && self.blank.binary_search(&row).is_ok()
    }

    /// Whether the cells were read as text.
    pub fn is_text(&self) -> bool {
        matches!(self.original, Original::Text(_))
    }

    /// The text of any cell of the original.
    pub fn text(&self, row: usize, column: usize) -> Option<Cow<'_, str>> {
        match &self.original {
            Original::Text(rows) => Some(String::from_utf8_lossy(rows.cell(row, column))),
            #[cfg(feature = "parquet")]
            Original::Parquet(rows) => rows.text(row, column).map(Cow::Owned),
        }
    }

    /// The text rows to fill, cleared.
    pub(super) fn text_rows(&mut self, columns: usize) -> &mut TextRows {
        if !matches!(self.original, Original::Text(_)) {
            self.original = Original::default();
        }
        match &mut self.original {
            Original::Text(rows) => {
                rows.clear(columns);
                rows
            }
            #[cfg(feature = "parquet")]
            Original::Parquet(_) => unreachable!("replaced above"),
        }
    }
}
