//! Dense products of 64-bit numbers, and the inverse that [`camel`](super::camel) needs.
//!
//! Matrices are slices, row-major. Invariant: an entry of a product is one sum with a fused
//! multiplication at each step, taken in the order of the inner index; neither the number of threads
//! nor the width of the machine's vectors changes a bit.

mod inverse;
mod panels;
mod product;

pub(super) use inverse::invert_in_place;
pub(super) use panels::Panels;
pub(super) use product::multiply;

/// The transpose of a matrix with this many columns.
pub(super) fn transposed(matrix: &[f64], columns: usize) -> Vec<f64> {
    const TILE: usize = 32;
    let rows = matrix.len().checked_div(columns).unwrap_or(0);
    let mut out = vec![0.0; matrix.len()];
    for top in (0..rows).step_by(TILE) {
        for left in (0..columns).step_by(TILE) {
            for row in top..rows.min(top + TILE) {
                for column in left..columns.min(left + TILE) {
                    out[column * rows + row] = matrix[row * columns + column];
                }
            }
        }
    }
    out
}
