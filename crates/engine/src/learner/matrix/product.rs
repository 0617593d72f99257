//! Products: rows of the left side, a few at a time, with the panels of the right side.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::panels::{Panels, WIDTH};

/// Rows that a thread takes at once.
const ROWS: usize = 48;

/// Inner indices that are done before the next rows: their part of a panel stays in the cache.
const DEPTH: usize = 256;

/// The product of a row-major matrix with panels, row-major.
pub(in super::super) fn multiply(left: &[f64], right: &Panels) -> Vec<f64> {
    let rows = left.len().checked_div(right.depth()).unwrap_or(0);
    let mut out = vec![0.0; rows * right.columns()];
    accumulate(left, right, &mut out, 1.0);
    out
}

/// Subtracts the product of a row-major matrix with panels from `out`.
///
/// # Panics
/// If the sizes do not fit.
pub(in super::super) fn subtract_product(left: &[f64], right: &Panels, out: &mut [f64]) {
    accumulate(left, right, out, -1.0);
}

fn accumulate(left: &[f64], right: &Panels, out: &mut [f64], sign: f64) {
    let (depth, columns) = (right.depth(), right.columns());
    if depth == 0 || columns == 0 {
        return;
    }
    assert_eq!(left.len() / depth, out.len() / columns, "as many rows");
    assert!(left.len().is_multiple_of(depth) && out.len().is_multiple_of(columns), "whole rows");
    let arch = Arch::new();
    out.par_chunks_mut(ROWS * columns)
        .zip(left.par_chunks(ROWS * depth))
        .for_each(|(out, left)| arch.dispatch(Piece { left, right, out, sign }));
}

/// Some rows of a product, with the vectors of the machine.
struct Piece<'a> {
    left: &'a [f64],
    right: &'a Panels,
    out: &'a mut [f64],
    sign: f64,
}

impl WithSimd for Piece<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Sums that fit into the registers: rows times vectors per row.
        match S::F64_LANES {
            8 => self.run::<S, 8, 2>(simd),
            4 => self.run::<S, 3, 4>(simd),
            2 => self.run::<S, 1, 8>(simd),
            _ => self.run::<S, 1, 16>(simd),
        }
    }
}

impl Piece<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize, const V: usize>(self, simd: S) {
        let Self { left, right, out, sign } = self;
        let (depth, columns) = (right.depth(), right.columns());
        let rows = out.len() / columns;
        for from in (0..depth).step_by(DEPTH) {
            let many = DEPTH.min(depth - from);
            for panel in 0..columns.div_ceil(WIDTH) {
                let rhs = &right.rows_from(panel, from)[..many];
                let first = panel * WIDTH;
                let width = WIDTH.min(columns - first);
                let mut row = 0;
                while row < rows {
                    let here = R.min(rows - row);
                    let mut sums = [[0.0; WIDTH]; R];
                    for (at, sums) in sums.iter_mut().enumerate().take(here) {
                        sums[..width]
                            .copy_from_slice(&out[(row + at) * columns + first..][..width]);
                    }
                    // Rows past the end repeat the last one and are thrown away.
                    let lhs: [&[f64]; R] = std::array::from_fn(|at| {
                        &left[(row + at.min(here - 1)) * depth + from..][..many]
                    });
                    tile::<S, R, V>(simd, lhs, rhs, &mut sums, sign);
                    for (at, sums) in sums.iter().enumerate().take(here) {
                        out[(row + at) * columns + first..][..width]
                            .copy_from_slice(&sums[..width]);
                    }
                    row += R;
                }
            }
        }
    }
}

/// Adds the products of `R` rows with a panel to sixteen sums per row.
#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize>(
    simd: S,
    left: [&[f64]; R],
    right: &[[f64; WIDTH]],
    sums: &mut [[f64; WIDTH]; R],
    sign: f64,
) {
    let mut vectors: [[S::f64s; V]; R] = std::array::from_fn(|row| numbers::<S, V>(&sums[row]));
    for (step, right) in right.iter().enumerate() {
        let right = numbers::<S, V>(right);
        for row in 0..R {
            let factor = simd.splat_f64s(sign * left[row][step]);
            for vector in 0..V {
                vectors[row][vector] =
                    simd.mul_add_f64s(factor, right[vector], vectors[row][vector]);
            }
        }
    }
    for (sums, vectors) in sums.iter_mut().zip(&vectors) {
        let (out, _) = S::as_mut_simd_f64s(sums);
        out.copy_from_slice(vectors);
    }
}

#[inline(always)]
fn numbers<S: Simd, const V: usize>(numbers: &[f64; WIDTH]) -> [S::f64s; V] {
    let (vectors, _) = S::as_simd_f64s(numbers);
    std::array::from_fn(|at| vectors[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Draws, Purpose, unit};

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let draws = Draws::new(seed, Purpose::Points);
        let number = |at: usize| f64::from(unit(draws.four(at as u32, 0, 0)[0])) - 0.5;
        (0..count).map(number).collect()
    }

    /// Sums over the inner index in its order, one fused step at a time.
    fn plain(left: &[f64], right: &[f64], depth: usize, columns: usize) -> Vec<f64> {
        let entry = |row: &[f64], column: usize| {
            let step = |sum, at: usize| row[at].mul_add(right[at * columns + column], sum);
            (0..depth).fold(0.0, step)
        };
        let rows = left.chunks(depth);
        rows.flat_map(|row| (0..columns).map(move |column| entry(row, column))).collect()
    }

    #[test]
    fn a_product_is_the_plain_sum_to_the_last_bit() {
        for (rows, depth, columns) in [(1, 1, 1), (7, 300, 17), (100, 5, 33), (49, 513, 16)] {
            let (left, right) = (numbers(rows * depth, 1), numbers(depth * columns, 2));
            let panels = Panels::from_rows(&right, columns);
            let product = multiply(&left, &panels);
            assert_eq!(product, plain(&left, &right, depth, columns));
            let mut rest = product.clone();
            subtract_product(&left, &panels, &mut rest);
            assert!(rest.iter().all(|rest| rest.abs() < 1e-12));
        }
    }

    #[test]
    fn panels_can_be_filled_column_by_column() {
        let right = numbers(3 * 20, 3);
        let mut panels = Panels::zeros(3, 20);
        for column in 0..20 {
            let values: Vec<f64> = (0..3).map(|row| right[row * 20 + column]).collect();
            panels.set_column(column, &values);
        }
        let left = numbers(6, 4);
        assert_eq!(multiply(&left, &panels), plain(&left, &right, 3, 20));
    }
}
