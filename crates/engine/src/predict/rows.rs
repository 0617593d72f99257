//! Rows of features as a predictor takes them: before any preprocessing, dense or sparse.

use crate::features::{FeatureMatrix, FeatureRow};

/// A batch of rows, each with one cell for every column that the predictor was made for.
///
/// A cell is a number, or the place of its value in the list of a nominal column; NaN is a missing
/// cell. In sparse rows a cell that is not listed is 0.
///
/// ```
/// use rulebound::predict::FeatureRows;
/// let dense = FeatureRows::dense(&[1.0, 0.0, f32::NAN, 2.0], 2)?;
/// assert_eq!((dense.rows(), dense.width()), (2, 2));
/// // The same two rows as starts, columns and values (CSR).
/// let sparse = FeatureRows::sparse(&[0, 1, 3], &[0, 0, 1], &[1.0, f32::NAN, 2.0], 2)?;
/// let mut row = [0.0; 2];
/// sparse.copy_row(0, &mut row);
/// assert_eq!(row, [1.0, 0.0]);
/// # Ok::<(), rulebound::predict::BadRows>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FeatureRows<'a> {
    layout: Layout<'a>,
    rows: usize,
    width: usize,
}

#[derive(Clone, Copy, Debug)]
enum Layout<'a> {
    Dense(&'a [f32]),
    Sparse { starts: &'a [usize], columns: &'a [u32], values: &'a [f32] },
}

/// Why numbers are not rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum BadRows {
    /// The cells do not fill whole rows.
    #[error("{cells} cells are not whole rows of {width} columns")]
    NotWhole {
        cells: usize,
        /// How many a row has.
        width: usize,
    },
    /// The starts of sparse rows do not go from 0 to the number of cells, in order.
    #[error("the starts of sparse rows must ascend from 0 to the number of cells ({cells})")]
    BadStarts { cells: usize },
    /// A sparse cell has no column, or comes before its neighbour.
    #[error("sparse row {row}: column {column} is out of order, repeated, or not below {width}")]
    BadColumn {
        /// The row, from 0.
        row: usize,
        /// The column of the cell.
        column: u32,
        width: usize,
    },
}

impl<'a> FeatureRows<'a> {
    /// Dense rows, row-major.
    ///
    /// # Errors
    /// [`BadRows::NotWhole`]; without columns there must be no cell, and then there is no row.
    pub fn dense(cells: &'a [f32], width: usize) -> Result<Self, BadRows> {
        let rows = cells.len().checked_div(width).unwrap_or(0);
        if rows * width != cells.len() {
            return Err(BadRows::NotWhole { cells: cells.len(), width });
        }
        Ok(Self { layout: Layout::Dense(cells), rows, width })
    }

    /// Sparse rows (CSR): row `r` has the cells `starts[r]..starts[r + 1]`, with ascending columns.
    ///
    /// # Errors
    /// When starts or columns are out of order or out of range.
    pub fn sparse(
        starts: &'a [usize],
        columns: &'a [u32],
        values: &'a [f32],
        width: usize,
    ) -> Result<Self, BadRows> {
        let cells = values.len();
        let ends_meet = starts.first() == Some(&0) && starts.last() == Some(&cells);
        if columns.len() != cells || !ends_meet || !starts.is_sorted() {
            return Err(BadRows::BadStarts { cells });
        }
        for (row, ends) in starts.windows(2).enumerate() {
            let columns = &columns[ends[0]..ends[1]];
            let ascends = |at: usize| at == 0 || columns[at - 1] < columns[at];
            let is_bad = |at: &usize| columns[*at] as usize >= width || !ascends(*at);
            if let Some(at) = (0..columns.len()).find(is_bad) {
                return Err(BadRows::BadColumn { row, column: columns[at], width });
            }
        }
        let rows = starts.len() - 1;
        Ok(Self { layout: Layout::Sparse { starts, columns, values }, rows, width })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many cells a row has, zeros of sparse rows included.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> FeatureRow<'a> {
        let width = self.width;
        match self.layout {
            Layout::Dense(cells) => FeatureRow::Dense(&cells[row * width..][..width]),
            Layout::Sparse { starts, columns, values } => {
                let cells = starts[row]..starts[row + 1];
                let (columns, values) = (&columns[cells.clone()], &values[cells]);
                FeatureRow::Sparse { columns, values, width }
            }
        }
    }

    /// Writes all cells of a row to `out`.
    ///
    /// # Panics
    /// If there is no such row, or `out` has not one place for each column.
    pub fn copy_row(&self, row: usize, out: &mut [f32]) {
        self.row(row).copy_to(out);
    }
}

impl<'a> From<&'a FeatureMatrix> for FeatureRows<'a> {
    fn from(matrix: &'a FeatureMatrix) -> Self {
        let (rows, width) = (matrix.rows(), matrix.width());
        let layout = match matrix {
            FeatureMatrix::Dense { cells, .. } => Layout::Dense(cells),
            FeatureMatrix::Sparse(sparse) => {
                let (starts, columns, values) = sparse.parts();
                Layout::Sparse { starts, columns, values }
            }
        };
        Self { layout, rows, width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_rows_are_their_dense_ones() {
        let (starts, columns) = ([0, 2, 2, 4], [0, 3, 1, 2]);
        let values = [1.0, f32::NAN, 2.0, -1.0];
        let sparse = FeatureRows::sparse(&starts, &columns, &values, 4).unwrap();
        let cells = [1.0, 0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, -1.0, 0.0];
        let dense = FeatureRows::dense(&cells, 4).unwrap();
        assert_eq!((sparse.rows(), sparse.width()), (dense.rows(), dense.width()));
        let (mut one, mut other) = ([9.0; 4], [9.0; 4]);
        for row in 0..3 {
            sparse.copy_row(row, &mut one);
            dense.copy_row(row, &mut other);
            let bits = |row: &[f32]| row.iter().map(|cell| cell.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&one), bits(&other));
            assert_eq!(bits(&sparse.row(row).to_vec()), bits(&dense.row(row).to_vec()));
        }
    }

    #[test]
    fn what_is_no_rows_is_refused() {
        let cells = [0.0; 5];
        assert_eq!(
            FeatureRows::dense(&cells, 2).unwrap_err(),
            BadRows::NotWhole { cells: 5, width: 2 }
        );
        assert_eq!(FeatureRows::dense(&[], 0).unwrap().rows(), 0);
        let sparse = |starts: &[usize], columns: &[u32]| {
            FeatureRows::sparse(starts, columns, &[1.0, 2.0], 3).map(|rows| rows.rows())
        };
        assert_eq!(sparse(&[0, 2], &[0, 2]), Ok(1));
        for starts in [&[][..], &[0], &[1, 2], &[0, 1], &[0, 2, 1, 2], &[0, 3]] {
            assert_eq!(sparse(starts, &[0, 2]), Err(BadRows::BadStarts { cells: 2 }), "{starts:?}");
        }
        assert_eq!(sparse(&[0, 2], &[0]), Err(BadRows::BadStarts { cells: 2 }));
        for columns in [[0, 3], [1, 1], [2, 0]] {
            assert!(matches!(sparse(&[0, 2], &columns), Err(BadRows::BadColumn { row: 0, .. })));
        }
    }
}
