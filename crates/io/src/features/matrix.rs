//! All rows, dense or sparse.

use super::row::FeatureRow;
use super::sparse::SparseMatrix;
use crate::storage::{Storage, StorageError, StoredVec};

/// The cells, or sparse rows, that are changed before pages of a file are let go.
pub(super) const AT_ONCE: usize = 1 << 20;

/// Rows of features.
#[derive(Clone, Debug)]
pub enum FeatureMatrix {
    /// Every cell, row by row.
    Dense {
        /// `rows × width` numbers.
        cells: StoredVec<f32>,
        /// The number of columns.
        width: usize,
        /// The number of rows: not in the cells if there are no columns.
        rows: usize,
    },
    /// The cells that are not 0.
    Sparse(SparseMatrix),
}

impl FeatureMatrix {
    /// No rows of `width` columns, dense.
    pub fn dense(width: usize) -> Self {
        Self::Dense { cells: StoredVec::default(), width, rows: 0 }
    }

    /// No rows of `width` columns, sparse.
    ///
    /// # Panics
    /// If there are 2³² columns or more.
    pub fn sparse(width: usize) -> Self {
        Self::Sparse(SparseMatrix::new(width))
    }

    /// No rows of `width` columns, dense or sparse, to be kept there.
    ///
    /// # Errors
    /// If no file can be made there.
    ///
    /// # Panics
    /// If there are 2³² sparse columns or more.
    pub fn stored_in(storage: &Storage, width: usize, sparse: bool) -> Result<Self, StorageError> {
        Ok(match sparse {
            true => Self::Sparse(SparseMatrix::stored_in(storage, width)?),
            false => Self::Dense { cells: StoredVec::new(storage)?, width, rows: 0 },
        })
    }

    /// Where the cells are kept.
    pub fn storage(&self) -> Storage {
        match self {
            Self::Dense { cells, .. } => cells.storage(),
            Self::Sparse(sparse) => sparse.storage(),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense { rows, .. } => *rows,
            Self::Sparse(sparse) => sparse.rows(),
        }
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        match self {
            Self::Dense { width, .. } => *width,
            Self::Sparse(sparse) => sparse.width(),
        }
    }

    /// Whether only the cells other than 0 are stored.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// How many cells are stored.
    pub fn stored(&self) -> usize {
        self.values().len()
    }

    /// The bytes of all stored cells and their places.
    pub fn bytes(&self) -> u64 {
        let (cells, rows) = (self.stored() as u64, self.rows() as u64);
        match self {
            Self::Dense { .. } => 4 * cells,
            Self::Sparse(_) => 8 * (cells + rows + 1),
        }
    }

    /// The stored cells in the order of rows and columns.
    pub fn values(&self) -> &[f32] {
        match self {
            Self::Dense { cells, .. } => cells,
            Self::Sparse(sparse) => sparse.values(),
        }
    }

    /// A row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> FeatureRow<'_> {
        match self {
            Self::Dense { cells, width, rows } => {
                assert!(row < *rows, "row {row} of {rows}");
                FeatureRow::Dense(cells.part(row * width..(row + 1) * width))
            }
            Self::Sparse(sparse) => sparse.row(row),
        }
    }

    /// As [`try_push`](Self::try_push), for rows in memory.
    ///
    /// # Panics
    /// As [`try_push`](Self::try_push), and if there is no room.
    pub fn push(&mut self, row: FeatureRow<'_>) {
        if let Err(error) = self.try_push(row) {
            panic!("{error}");
        }
    }

    /// Adds a row; it is stored as the others are.
    ///
    /// # Errors
    /// If there is no room for it; then no row is added.
    ///
    /// # Panics
    /// If the row is not as wide as the others.
    pub fn try_push(&mut self, row: FeatureRow<'_>) -> Result<(), StorageError> {
        assert_eq!(row.len(), self.width());
        match self {
            Self::Dense { cells, rows, width } => {
                cells.try_reserve(*width)?;
                row.copy_to(cells.extend_zeroed(*width));
                *rows += 1;
                Ok(())
            }
            Self::Sparse(sparse) => sparse.try_push(row.stored()),
        }
    }

    /// These rows, in this order, stored as they are.
    ///
    /// # Errors
    /// If there is no room for them.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn selected(&self, rows: &[usize]) -> Result<Self, StorageError> {
        self.copied(rows.iter().copied(), self.is_sparse())
    }

    /// The same rows, dense, in memory.
    pub fn to_dense(&self) -> Self {
        let mut dense = Self::dense(self.width());
        (0..self.rows()).for_each(|row| dense.push(self.row(row)));
        dense
    }

    /// The same rows, sparse, in memory.
    ///
    /// # Panics
    /// If there are 2³² columns or more.
    pub fn to_sparse(&self) -> Self {
        let mut sparse = Self::sparse(self.width());
        (0..self.rows()).for_each(|row| sparse.push(self.row(row)));
        sparse
    }

    /// These rows, in this order, kept where these are, dense or sparse.
    ///
    /// # Errors
    /// If there is no room for them.
    ///
    /// # Panics
    /// If there is no such row, or there are 2³² sparse columns or more.
    pub fn copied(
        &self,
        rows: impl ExactSizeIterator<Item = usize>,
        sparse: bool,
    ) -> Result<Self, StorageError> {
        let mut copied = Self::stored_in(&self.storage(), self.width(), sparse)?;
        if let Self::Dense { cells, width, .. } = &mut copied {
            cells.try_reserve(rows.len() * *width)?;
        }
        for row in rows {
            copied.try_push(self.row(row))?;
        }
        Ok(copied)
    }

    /// Removes the marked columns.
    ///
    /// # Panics
    /// If there is not one mark per column.
    pub fn remove_columns(&mut self, marked: &[bool]) {
        assert_eq!(marked.len(), self.width());
        match self {
            Self::Dense { cells, width, .. } => {
                let mut kept = 0;
                for first in (0..cells.len()).step_by(AT_ONCE) {
                    let numbers = cells.as_mut_slice();
                    let part = first..(first + AT_ONCE).min(numbers.len());
                    for place in part.filter(|place| !marked[place % marked.len()]) {
                        numbers[kept] = numbers[place];
                        kept += 1;
                    }
                    cells.let_go();
                }
                cells.truncate(kept);
                *width = marked.iter().filter(|is_marked| !**is_marked).count();
            }
            Self::Sparse(sparse) => sparse.remove_columns(marked),
        }
    }

    /// Gives back memory that is held for more rows.
    pub fn shrink_to_fit(&mut self) {
        match self {
            Self::Dense { cells, .. } => cells.shrink_to_fit(),
            Self::Sparse(sparse) => sparse.shrink_to_fit(),
        }
    }
}

/// Equal cells bit by bit (missing equals missing), whichever way they are stored.
impl PartialEq for FeatureMatrix {
    fn eq(&self, other: &Self) -> bool {
        let bits = |cell: &f32| if cell.is_nan() { f32::NAN.to_bits() } else { cell.to_bits() };
        match (self, other) {
            (Self::Sparse(one), Self::Sparse(other)) => one == other,
            _ => {
                (self.rows(), self.width()) == (other.rows(), other.width())
                    && (0..self.rows()).all(|row| {
                        self.row(row).iter().map(bits).eq(other.row(row).iter().map(bits))
                    })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(rows: &[[f32; 4]]) -> FeatureMatrix {
        let mut matrix = FeatureMatrix::dense(4);
        rows.iter().for_each(|row| matrix.push(FeatureRow::Dense(row)));
        matrix
    }

    #[test]
    fn sparse_rows_are_the_dense_ones() {
        let matrix = dense(&[[0.0, 1.0, f32::NAN, -0.0], [0.0; 4], [1.0, 2.0, 3.0, 4.0]]);
        let mut sparse = matrix.to_sparse();
        assert_eq!((sparse.rows(), sparse.width(), sparse.stored()), (3, 4, 7));
        assert!(sparse == matrix && sparse.to_dense() == matrix);
        assert!(matrix == sparse);
        assert!(matrix != dense(&[[0.0; 4]; 3]) && sparse != dense(&[[0.0; 4]; 3]).to_sparse());
        assert_eq!(sparse.row(2), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(sparse.row(0)[3].to_bits(), (-0.0f32).to_bits());
        assert_eq!(sparse.row(0).get(4), None);
        let mut matrix = matrix;
        matrix.remove_columns(&[false, true, false, true]);
        sparse.remove_columns(&[false, true, false, true]);
        assert!(sparse == matrix);
        assert_eq!(sparse.row(2), [1.0, 3.0]);
    }

    #[test]
    fn rows_without_columns_are_counted() {
        let mut matrix = FeatureMatrix::dense(1);
        matrix.push(FeatureRow::Dense(&[7.0]));
        let mut sparse = matrix.to_sparse();
        matrix.remove_columns(&[true]);
        sparse.remove_columns(&[true]);
        assert_eq!((matrix.rows(), matrix.width(), sparse.rows()), (1, 0, 1));
        assert!(sparse == matrix && matrix.row(0).is_empty());
    }
}
