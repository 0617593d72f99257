//! Sparse rows (CSR).
//!
//! Invariants: the columns of a row ascend and are below the width; no listed value is +0, so that
//! equal rows are stored equally. (−0 is listed: it has other bits than a cell that is not.)

use std::collections::TryReserveError;

use super::row::FeatureRow;

/// The most cells that are kept as dense rows although they were read as sparse ones: 64 MiB.
const DENSE_CELLS: u64 = 1 << 24;

/// Rows that list their cells other than 0.
#[derive(Clone, Debug)]
pub struct SparseMatrix {
    width: usize,
    /// Where the cells of each row begin, and the number of cells.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl SparseMatrix {
    /// No rows of `width` columns.
    ///
    /// # Panics
    /// If there are 2³² columns or more.
    pub fn new(width: usize) -> Self {
        assert!(u32::try_from(width).is_ok(), "{width} columns");
        Self { width, starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Makes room for a row of this many cells.
    pub(super) fn reserve(&mut self, cells: usize) -> Result<(), TryReserveError> {
        self.starts.try_reserve(1)?;
        self.columns.try_reserve(cells)?;
        self.values.try_reserve(cells)
    }

    /// Adds a row of these cells; zeros are not stored.
    ///
    /// # Panics
    /// If the columns do not ascend, or one is past the width.
    pub fn push(&mut self, cells: impl IntoIterator<Item = (usize, f32)>) {
        let mut next = 0;
        for (column, value) in cells {
            assert!(next <= column && column < self.width, "column {column} of {}", self.width);
            next = column + 1;
            if value.to_bits() != 0 {
                self.columns.push(column as u32);
                self.values.push(value);
            }
        }
        self.starts.push(self.values.len());
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many cells are stored.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// A row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> FeatureRow<'_> {
        let cells = self.starts[row]..self.starts[row + 1];
        let (columns, values) = (&self.columns[cells.clone()], &self.values[cells]);
        FeatureRow::Sparse { columns, values, width: self.width }
    }

    /// Starts, columns and values.
    pub fn parts(&self) -> (&[usize], &[u32], &[f32]) {
        (&self.starts, &self.columns, &self.values)
    }

    /// Whether it is kept sparse: its cells would take more than 64 MiB as dense rows, and fewer
    /// than one in ten is stored. Smaller or fuller data is faster as dense rows, and is scaled as
    /// dense data is.
    pub fn is_worthwhile(&self) -> bool {
        let cells = self.rows().saturating_mul(self.width);
        Self::is_worthwhile_for(cells as u64, self.stored() as u64)
    }

    /// As [`is_worthwhile`](Self::is_worthwhile), for a number of cells of which some are stored.
    pub(crate) fn is_worthwhile_for(cells: u64, stored: u64) -> bool {
        cells > DENSE_CELLS && stored < cells / 10
    }

    /// All stored values.
    pub(super) fn values(&self) -> &[f32] {
        &self.values
    }

    /// The same rows without the marked columns.
    pub(super) fn without_columns(&self, marked: &[bool]) -> Self {
        let mut left = 0;
        let mut places = Vec::with_capacity(marked.len());
        for is_marked in marked {
            places.push(left);
            left += usize::from(!is_marked);
        }
        let mut kept = Self::new(left);
        for row in 0..self.rows() {
            let cells = self.row(row).stored().filter(|(column, _)| !marked[*column]);
            kept.push(cells.map(|(column, value)| (places[column], value)));
        }
        kept
    }

    /// Gives back memory that is held for more rows.
    pub fn shrink_to_fit(&mut self) {
        self.starts.shrink_to_fit();
        self.columns.shrink_to_fit();
        self.values.shrink_to_fit();
    }
}

/// Equal bits, except that every NaN is the same.
impl PartialEq for SparseMatrix {
    fn eq(&self, other: &Self) -> bool {
        let bits = |cell: &f32| if cell.is_nan() { f32::NAN.to_bits() } else { cell.to_bits() };
        (self.width, &self.starts, &self.columns) == (other.width, &other.starts, &other.columns)
            && self.values.iter().map(bits).eq(other.values.iter().map(bits))
    }
}
