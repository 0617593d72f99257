//! Sparse rows (CSR).
//!
//! Invariants: the columns of a row ascend and are below the width; no listed value is +0, so that
//! equal rows are stored equally. (−0 is listed: it has other bits than a cell that is not.)

use std::ops::Range;

use super::matrix::AT_ONCE;
use super::row::FeatureRow;
use crate::storage::{Storage, StorageError, StoredVec};

/// The most cells that are kept as dense rows although they were read as sparse ones: 64 MiB.
const DENSE_CELLS: u64 = 1 << 24;

/// Rows that list their cells other than 0.
#[derive(Clone, Debug)]
pub struct SparseMatrix {
    width: usize,
    /// Where the cells of each row begin, and the number of cells.
    starts: StoredVec<usize>,
    columns: StoredVec<u32>,
    values: StoredVec<f32>,
}

impl SparseMatrix {
    /// No rows of `width` columns.
    ///
    /// # Panics
    /// If there are 2³² columns or more.
    pub fn new(width: usize) -> Self {
        assert!(u32::try_from(width).is_ok(), "{width} columns");
        let starts = StoredVec::from(vec![0]);
        Self { width, starts, columns: StoredVec::default(), values: StoredVec::default() }
    }

    /// As [`new`](Self::new), to be kept there.
    pub(super) fn stored_in(storage: &Storage, width: usize) -> Result<Self, StorageError> {
        assert!(u32::try_from(width).is_ok(), "{width} columns");
        let mut starts = StoredVec::new(storage)?;
        starts.try_push(0)?;
        Ok(Self {
            width,
            starts,
            columns: StoredVec::new(storage)?,
            values: StoredVec::new(storage)?,
        })
    }

    /// Where the cells are kept.
    pub(super) fn storage(&self) -> Storage {
        self.values.storage()
    }

    /// As [`try_push`](Self::try_push), for rows in memory.
    ///
    /// # Panics
    /// As [`try_push`](Self::try_push), and if there is no room.
    pub fn push(&mut self, cells: impl IntoIterator<Item = (usize, f32)>) {
        if let Err(error) = self.try_push(cells) {
            panic!("{error}");
        }
    }

    /// Adds a row of these cells; zeros are not stored.
    ///
    /// # Errors
    /// If there is no room for it; then no row is added.
    ///
    /// # Panics
    /// If the columns do not ascend, or one is past the width.
    pub fn try_push(
        &mut self,
        cells: impl IntoIterator<Item = (usize, f32)>,
    ) -> Result<(), StorageError> {
        let (mut next, kept) = (0, self.stored());
        let mut push = |(column, value): (usize, f32)| {
            assert!(next <= column && column < self.width, "column {column} of {}", self.width);
            next = column + 1;
            if value.to_bits() == 0 {
                return Ok(());
            }
            self.columns.try_push(column as u32)?;
            self.values.try_push(value)
        };
        let pushed = cells.into_iter().try_for_each(&mut push);
        let pushed = pushed.and_then(|()| self.starts.try_push(self.values.len()));
        if pushed.is_err() {
            self.columns.truncate(kept);
            self.values.truncate(kept);
        }
        pushed
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Adds columns at the end, up to this many.
    ///
    /// # Panics
    /// If there are 2³² columns or more.
    pub fn widen(&mut self, width: usize) {
        assert!(u32::try_from(width).is_ok(), "{width} columns");
        self.width = self.width.max(width);
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
        let ends = self.starts.part(row..row + 2);
        let cells = ends[0]..ends[1];
        let (columns, values) = (self.columns.part(cells.clone()), self.values.part(cells));
        FeatureRow::Sparse { columns, values, width: self.width }
    }

    /// Starts, columns and values.
    pub fn parts(&self) -> (&[usize], &[u32], &[f32]) {
        (&self.starts, &self.columns, &self.values)
    }

    /// Columns and values of some of the stored cells, counted through all rows.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn cells(&self, range: Range<usize>) -> (&[u32], &[f32]) {
        (self.columns.part(range.clone()), self.values.part(range))
    }

    /// Whether it is kept sparse: its cells would take more than 64 MiB as dense rows, and fewer
    /// than one in ten is stored. Smaller or fuller data is faster as dense rows, and is scaled as
    /// dense data is.
    pub fn is_worthwhile(&self) -> bool {
        let cells = self.rows().saturating_mul(self.width);
        Self::is_worthwhile_for(cells as u64, self.stored() as u64)
    }

    /// As [`is_worthwhile`](Self::is_worthwhile), for a number of cells of which some are stored.
    pub fn is_worthwhile_for(cells: u64, stored: u64) -> bool {
        cells > DENSE_CELLS && stored < cells / 10
    }

    /// All stored values.
    pub(super) fn values(&self) -> &[f32] {
        &self.values
    }

    /// Removes the marked columns.
    pub(super) fn remove_columns(&mut self, marked: &[bool]) {
        let mut left = 0;
        let mut places = Vec::with_capacity(marked.len());
        for is_marked in marked {
            places.push(left);
            left += u32::from(!is_marked);
        }
        let (mut begin, mut kept) = (0, 0);
        for first in (1..self.starts.len()).step_by(AT_ONCE) {
            let starts = self.starts.as_mut_slice();
            let (columns, values) = (self.columns.as_mut_slice(), self.values.as_mut_slice());
            for end in starts[first..].iter_mut().take(AT_ONCE) {
                for at in begin..*end {
                    let column = columns[at] as usize;
                    if !marked[column] {
                        (columns[kept], values[kept]) = (places[column], values[at]);
                        kept += 1;
                    }
                }
                begin = std::mem::replace(end, kept);
            }
            self.starts.let_go();
            self.columns.let_go();
            self.values.let_go();
        }
        self.columns.truncate(kept);
        self.values.truncate(kept);
        self.width = left as usize;
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
        let places = |of: &Self| (of.width, of.starts.len(), of.columns.len());
        places(self) == places(other)
            && self.starts[..] == other.starts[..]
            && self.columns[..] == other.columns[..]
            && self.values.iter().map(bits).eq(other.values.iter().map(bits))
    }
}
