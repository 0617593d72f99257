//! The right-hand side of a product, repacked so that the innermost loop reads it in one stream.

/// Columns per panel: two of the widest vectors.
pub(super) const WIDTH: usize = 16;

/// A matrix of `depth` rows cut into panels of sixteen columns, each stored row by row; the last one
/// is filled up with zeros.
#[derive(Clone, Debug)]
pub(in super::super) struct Panels {
    depth: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Panels {
    /// Zeros.
    pub fn zeros(depth: usize, columns: usize) -> Self {
        Self { depth, columns, values: vec![0.0; columns.div_ceil(WIDTH) * WIDTH * depth] }
    }

    /// A matrix that is stored row by row.
    pub fn from_rows(matrix: &[f64], columns: usize) -> Self {
        let depth = matrix.len().checked_div(columns).unwrap_or(0);
        let mut panels = Self::zeros(depth, columns);
        for panel in 0..columns.div_ceil(WIDTH) {
            let first = panel * WIDTH;
            let width = WIDTH.min(columns - first);
            for row in 0..depth {
                let to = (panel * depth + row) * WIDTH;
                panels.values[to..to + width]
                    .copy_from_slice(&matrix[row * columns + first..][..width]);
            }
        }
        panels
    }

    /// Writes the first numbers of a column; the others stay as they are.
    ///
    /// # Panics
    /// If there is no such column, or it is shorter.
    pub fn set_column(&mut self, column: usize, values: &[f64]) {
        assert!(column < self.columns && values.len() <= self.depth);
        let start = column / WIDTH * self.depth * WIDTH + column % WIDTH;
        for (to, &value) in self.values[start..].iter_mut().step_by(WIDTH).zip(values) {
            *to = value;
        }
    }

    /// The number of rows: the inner index of a product.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A panel's rows, from one on.
    pub(super) fn rows_from(&self, panel: usize, row: usize) -> &[[f64; WIDTH]] {
        self.values[panel * self.depth * WIDTH..][..self.depth * WIDTH].as_chunks().0[row..]
            .as_ref()
    }
}
