//! A batch of sparse rows: what they list, in the order in which the first layer needs it.

use super::lanes::LANES_OF_SUMS;
use rulebound_io::features::FeatureRow;

/// A cell that is not 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct SparseCell {
    /// Its column, which is also that of its weights.
    pub column: u32,
    /// The place of the column among those that the batch touches.
    pub place: u32,
    pub value: f32,
}

/// Sparse rows, each with a last cell that is 1: its weights are the biases.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseBatch {
    width: usize,
    cells: Vec<SparseCell>,
    /// Where the cells of each lane of each row begin, and how many cells there are.
    starts: Vec<u32>,
    /// The columns of all cells, ascending.
    touched: Vec<u32>,
    /// By column: its place among the touched ones, for columns that are.
    places: Vec<u32>,
}

/// Not the place of a column.
const NOWHERE: u32 = u32::MAX;

impl SparseBatch {
    /// Whether rows are better read cell by cell: all are sparse, and at most one cell in sixteen is
    /// listed. Products with whole rows are that much faster per cell.
    pub(super) fn suits(rows: &[FeatureRow<'_>]) -> bool {
        let listed = rows.iter().try_fold(0, |sum, row| match row {
            FeatureRow::Dense(_) => None,
            FeatureRow::Sparse { values, .. } => Some(sum + values.len()),
        });
        let cells: usize = rows.iter().map(FeatureRow::len).sum();
        listed.is_some_and(|listed| listed <= cells / 16)
    }

    /// Takes these rows in place of those before.
    ///
    /// # Panics
    /// If a row is not `width` wide, or there are 2³² cells or more.
    pub(super) fn fill(&mut self, width: usize, rows: &[FeatureRow<'_>]) {
        self.width = width;
        self.cells.clear();
        self.starts.clear();
        for row in rows {
            assert_eq!(row.len(), width);
            let listed = || row.stored().chain([(width, 1.0)]);
            // The cells of a row by lanes, those of a lane by columns.
            let mut next = [0; LANES_OF_SUMS + 1];
            listed().for_each(|(column, _)| next[column % LANES_OF_SUMS + 1] += 1);
            let mut start = self.cells.len();
            for count in &mut next {
                start += *count;
                *count = start;
            }
            let empty = SparseCell { column: 0, place: NOWHERE, value: 0.0 };
            self.cells.resize(start, empty);
            self.starts.extend(next[..LANES_OF_SUMS].iter().map(|&start| start as u32));
            for (column, value) in listed() {
                let at = &mut next[column % LANES_OF_SUMS];
                self.cells[*at] = SparseCell { column: column as u32, place: NOWHERE, value };
                *at += 1;
            }
        }
        let end = u32::try_from(self.cells.len()).expect("fewer than 2³² cells in a batch");
        self.starts.push(end);
    }

    /// Finds out which columns are touched; before it, cells have no place.
    pub(super) fn index(&mut self) {
        self.touched.iter().for_each(|&column| self.places[column as usize] = NOWHERE);
        self.touched.clear();
        self.places.resize(self.width + 1, NOWHERE);
        for cell in &self.cells {
            let place = &mut self.places[cell.column as usize];
            if *place == NOWHERE {
                *place = 0;
                self.touched.push(cell.column);
            }
        }
        self.touched.sort_unstable();
        for (place, &column) in self.touched.iter().enumerate() {
            self.places[column as usize] = place as u32;
        }
        for cell in &mut self.cells {
            cell.place = self.places[cell.column as usize];
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1) / LANES_OF_SUMS
    }

    /// Numbers per row, without the last one.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// How many cells all rows have.
    pub(super) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The columns that some row has a cell in, ascending; that of the biases is the last.
    pub(super) fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// The cells of a row, lane by lane.
    #[inline(always)]
    pub(super) fn lanes(&self, row: usize) -> impl Iterator<Item = &[SparseCell]> {
        let starts = &self.starts[row * LANES_OF_SUMS..][..=LANES_OF_SUMS];
        starts.windows(2).map(|pair| &self.cells[pair[0] as usize..pair[1] as usize])
    }

    /// The cells of a row in any order.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[SparseCell] {
        let starts = &self.starts[row * LANES_OF_SUMS..][..=LANES_OF_SUMS];
        &self.cells[starts[0] as usize..starts[LANES_OF_SUMS] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_sorted_by_lanes_and_columns_have_places() {
        let rows = [
            FeatureRow::Sparse {
                columns: &[1, 8, 9, 17],
                values: &[1.0, 2.0, 3.0, 4.0],
                width: 20,
            },
            FeatureRow::Sparse { columns: &[], values: &[], width: 20 },
        ];
        let mut batch = SparseBatch::default();
        for _ in 0..2 {
            batch.fill(20, &rows);
            batch.index();
            assert_eq!((batch.rows(), batch.cells()), (2, 6));
            let columns = |row| -> Vec<u32> { batch.row(row).iter().map(|at| at.column).collect() };
            assert_eq!(columns(0), [8, 1, 9, 17, 20]);
            assert_eq!(columns(1), [20]);
            assert_eq!(
                batch.lanes(0).map(<[_]>::len).collect::<Vec<_>>(),
                [1, 3, 0, 0, 1, 0, 0, 0]
            );
            assert_eq!(batch.touched(), [1, 8, 9, 17, 20]);
            assert_eq!(batch.row(0).iter().map(|at| at.place).collect::<Vec<_>>(), [1, 0, 2, 3, 4]);
        }
        // What the rows before touched is forgotten.
        batch.fill(20, &rows[1..]);
        batch.index();
        assert_eq!(batch.touched(), [20]);
    }

    #[test]
    fn rows_suit_that_list_few_cells() {
        let columns: Vec<u32> = (0..16).collect();
        let sparse = |listed: usize| FeatureRow::Sparse {
            columns: &columns[..listed],
            values: &[1.0; 16][..listed],
            width: 64,
        };
        assert!(SparseBatch::suits(&[sparse(4), sparse(4)]));
        assert!(SparseBatch::suits(&[sparse(8), sparse(0)]));
        assert!(!SparseBatch::suits(&[sparse(8), sparse(1)]));
        assert!(!SparseBatch::suits(&[sparse(0), FeatureRow::Dense(&[0.0; 64])]));
    }
}
