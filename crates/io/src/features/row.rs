//! One row, dense or sparse, read as if it were dense.

use std::ops::Index;

/// The cells of one row.
///
/// It reads like a slice with one cell per column, whichever way the row is stored:
///
/// ```
/// use rulebound_io::features::FeatureRow;
/// let sparse = FeatureRow::Sparse { columns: &[1, 3], values: &[0.5, f32::NAN], width: 5 };
/// assert_eq!((sparse.len(), sparse[0], sparse[1]), (5, 0.0, 0.5));
/// assert!(sparse[3].is_nan());
/// assert_eq!(sparse.iter().filter(|cell| **cell == 0.0).count(), 3);
/// assert_eq!(FeatureRow::from(&[0.0, 2.0][..]), [0.0, 2.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum FeatureRow<'a> {
    /// One cell per column.
    Dense(&'a [f32]),
    /// The cells that are not 0.
    Sparse {
        /// Their columns, ascending and below `width`.
        columns: &'a [u32],
        /// Their values, one for each of `columns`.
        values: &'a [f32],
        /// The number of columns.
        width: usize,
    },
}

static ZERO: f32 = 0.0;

impl<'a> FeatureRow<'a> {
    /// How many cells there are, zeros of sparse rows included.
    pub fn len(&self) -> usize {
        match self {
            Self::Dense(cells) => cells.len(),
            Self::Sparse { width, .. } => *width,
        }
    }

    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A cell; `None` past the last column.
    pub fn get(&self, column: usize) -> Option<&'a f32> {
        match *self {
            Self::Dense(cells) => cells.get(column),
            Self::Sparse { width, .. } if column >= width => None,
            Self::Sparse { columns, values, .. } => {
                match columns.binary_search_by(|&at| (at as usize).cmp(&column)) {
                    Ok(at) => values.get(at),
                    Err(_) => Some(&ZERO),
                }
            }
        }
    }

    /// All cells in the order of the columns.
    pub fn iter(&self) -> FeatureRowCells<'a> {
        FeatureRowCells { row: *self, column: 0, listed: 0 }
    }

    /// The stored cells with their columns: all of a dense row, those that are not 0 of a sparse
    /// one.
    pub fn stored(self) -> impl Iterator<Item = (usize, f32)> + 'a {
        let (columns, values) = match self {
            Self::Dense(cells) => (None, cells),
            Self::Sparse { columns, values, .. } => (Some(columns), values),
        };
        let column = move |at: usize| columns.map_or(at, |columns| columns[at] as usize);
        values.iter().enumerate().map(move |(at, &value)| (column(at), value))
    }

    /// Writes all cells to `out`.
    ///
    /// # Panics
    /// If `out` does not have one place per column.
    pub fn copy_to(&self, out: &mut [f32]) {
        match self {
            Self::Dense(cells) => out.copy_from_slice(cells),
            Self::Sparse { width, .. } => {
                assert_eq!(out.len(), *width, "one place per column");
                out.fill(0.0);
                self.stored().for_each(|(column, value)| out[column] = value);
            }
        }
    }

    /// All cells, copied.
    pub fn to_vec(&self) -> Vec<f32> {
        let mut cells = vec![0.0; self.len()];
        self.copy_to(&mut cells);
        cells
    }
}

impl<'a, C: AsRef<[f32]> + ?Sized> From<&'a C> for FeatureRow<'a> {
    fn from(cells: &'a C) -> Self {
        Self::Dense(cells.as_ref())
    }
}

impl Index<usize> for FeatureRow<'_> {
    type Output = f32;

    fn index(&self, column: usize) -> &f32 {
        let width = self.len();
        self.get(column).unwrap_or_else(|| panic!("column {column} of {width}"))
    }
}

/// Equal numbers, as slices compare them: NaN equals nothing.
impl PartialEq for FeatureRow<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<const N: usize> PartialEq<[f32; N]> for FeatureRow<'_> {
    fn eq(&self, other: &[f32; N]) -> bool {
        *self == FeatureRow::Dense(other)
    }
}

impl<'a> IntoIterator for FeatureRow<'a> {
    type Item = &'a f32;
    type IntoIter = FeatureRowCells<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The cells of a row in the order of the columns; see [`FeatureRow::iter`].
#[derive(Clone, Debug)]
pub struct FeatureRowCells<'a> {
    row: FeatureRow<'a>,
    column: usize,
    /// The listed cells of a sparse row that are past.
    listed: usize,
}

impl<'a> Iterator for FeatureRowCells<'a> {
    type Item = &'a f32;

    fn next(&mut self) -> Option<&'a f32> {
        let column = self.column;
        if column >= self.row.len() {
            return None;
        }
        self.column += 1;
        match self.row {
            FeatureRow::Dense(cells) => cells.get(column),
            FeatureRow::Sparse { columns, values, .. } => match columns.get(self.listed) {
                Some(&at) if at as usize == column => {
                    self.listed += 1;
                    values.get(self.listed - 1)
                }
                _ => Some(&ZERO),
            },
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.row.len() - self.column;
        (left, Some(left))
    }
}

impl ExactSizeIterator for FeatureRowCells<'_> {}
