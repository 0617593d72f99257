//! The inverse of a symmetric positive definite matrix: Gauss–Jordan elimination by blocks.
//!
//! With `P` the pivot's rows and columns and `R` the rest, a step replaces
//! `A_RR` by `A_RR − A_RP A_PP⁻¹ A_PR`, `A_PR` by `A_PP⁻¹ A_PR`, `A_RP` by `−A_RP A_PP⁻¹` and `A_PP`
//! by its inverse; after all blocks the matrix is its inverse. No pivot search is needed because
//! every Schur complement of such a matrix is positive definite, too.

use super::panels::Panels;
use super::product::{multiply, subtract_product};

/// Rows eliminated at once.
const BLOCK: usize = 96;

/// Replaces a symmetric positive definite matrix of `size` rows by its inverse; false if it is not
/// positive definite, and the numbers are then of no use.
///
/// # Panics
/// If it is not square.
pub(in super::super) fn invert_in_place(matrix: &mut [f64], size: usize) -> bool {
    assert_eq!(matrix.len(), size * size);
    for first in (0..size).step_by(BLOCK) {
        let width = BLOCK.min(size - first);
        let pivot = first..first + width;
        let mut inverse: Vec<f64> = rows(matrix, size, pivot.clone())
            .flat_map(|row| row[pivot.clone()].iter().copied())
            .collect();
        if !invert_small(&mut inverse, width) {
            return false;
        }
        // A_PP⁻¹ A_PR; the pivot's own columns are set to A_PP⁻¹ at the end.
        let mut across: Vec<f64> =
            rows(matrix, size, pivot.clone()).flat_map(|row| row.iter().copied()).collect();
        across = multiply(&inverse, &Panels::from_rows(&across, size));
        for row in 0..width {
            across[row * size..][pivot.clone()].copy_from_slice(&inverse[row * width..][..width]);
        }
        // Every row loses A_RP times that; in the pivot's columns it starts from zero.
        let mut down = vec![0.0; size * width];
        for (row, down) in down.chunks_mut(width).enumerate() {
            if pivot.contains(&row) {
                continue;
            }
            let there = &mut matrix[row * size..][pivot.clone()];
            down.copy_from_slice(there);
            there.fill(0.0);
        }
        subtract_product(&down, &Panels::from_rows(&across, size), matrix);
        matrix[first * size..][..width * size].copy_from_slice(&across);
    }
    true
}

fn rows(matrix: &[f64], size: usize, which: std::ops::Range<usize>) -> std::slice::Chunks<'_, f64> {
    matrix[which.start * size..which.end * size].chunks(size)
}

/// As [`invert_in_place`], one row at a time.
fn invert_small(matrix: &mut [f64], size: usize) -> bool {
    for pivot in 0..size {
        let diagonal = matrix[pivot * size + pivot];
        // NaN is not positive either.
        if !(diagonal > 0.0 && diagonal.is_finite()) {
            return false;
        }
        matrix[pivot * size + pivot] = 1.0;
        matrix[pivot * size..][..size].iter_mut().for_each(|value| *value /= diagonal);
        let across = matrix[pivot * size..][..size].to_vec();
        for (row, values) in matrix.chunks_mut(size).enumerate() {
            if row == pivot {
                continue;
            }
            let factor = std::mem::replace(&mut values[pivot], 0.0);
            values.iter_mut().zip(&across).for_each(|(value, &across)| *value -= factor * across);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::transposed;
    use super::*;

    /// `B Bᵀ + I` of a matrix that is not regular in any way.
    fn positive_definite(size: usize) -> Vec<f64> {
        let b: Vec<f64> = (0..size * size).map(|at| ((at * at) as f64).sin()).collect();
        let mut product = multiply(&b, &Panels::from_rows(&transposed(&b, size), size));
        (0..size).for_each(|at| product[at * size + at] += 1.0);
        product
    }

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        for size in [1, 2, 95, 96, 97, 250] {
            let matrix = positive_definite(size);
            let mut inverse = matrix.clone();
            assert!(invert_in_place(&mut inverse, size));
            let product = multiply(&matrix, &Panels::from_rows(&inverse, size));
            for (at, value) in product.iter().enumerate() {
                let one = if at / size == at % size { 1.0 } else { 0.0 };
                assert!((value - one).abs() < 1e-9, "{size}: {value} at {at}");
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        assert!(!invert_in_place(&mut [1.0, 2.0, 2.0, 1.0], 2));
        assert!(!invert_in_place(&mut [0.0], 1));
        assert!(!invert_in_place(&mut [f64::NAN], 1));
    }
}
