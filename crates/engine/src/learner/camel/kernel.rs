//! The Gaussian kernel, whose width is the mean distance of the training rows.

use pulp::Arch;
use rayon::prelude::*;

/// The squared distances of all rows from each other, and their mean distance; symmetric.
pub(super) fn squared_distances(inputs: &[f32], width: usize, rows: usize) -> (Vec<f64>, f64) {
    let mut squares = vec![0.0; rows * rows];
    let row = |row: usize| &inputs[row * width..][..width];
    let arch = Arch::new();
    squares.par_chunks_mut(rows.max(1)).enumerate().for_each(|(first, squares)| {
        arch.dispatch(|| {
            for (second, square) in squares.iter_mut().enumerate().take(first) {
                *square = squared_distance(row(first), row(second));
            }
        });
    });
    let sums =
        squares.par_chunks(rows.max(1)).map(|squares| squares.iter().map(|s| s.sqrt()).sum());
    let sums: Vec<f64> = sums.collect();
    for first in 0..rows {
        for second in 0..first {
            squares[second * rows + first] = squares[first * rows + second];
        }
    }
    let pairs = rows * rows.saturating_sub(1) / 2;
    (squares, sums.iter().sum::<f64>() / pairs as f64)
}

/// In eight interleaved sums, the same on every machine.
#[inline(always)]
pub(super) fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            let difference = f64::from(a[lane]) - f64::from(b[lane]);
            sums[lane] += difference * difference;
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2));
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}
