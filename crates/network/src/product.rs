//! Products of matrices, for batches too large for the fused step.
//!
//! Every number of the result is one sum, taken in order of the inner index with fused
//! multiply-adds. So it has the same bits for vectors of any width, for any number of threads, and
//! whatever the other rows and columns are.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Rows of the result that are computed at once.
const TALL: usize = 6;

/// Inner indices per pass: what a pass reads of the right matrix stays in the first-level cache.
const DEEP: usize = 192;

/// Rows of the left matrix that are packed at once: they stay in the second-level cache.
const PACKED: usize = 16 * TALL;

/// Multiplications below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 21;

/// The left matrix of a product: `rows × depth` numbers of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left<'a> {
    numbers: &'a [f32],
    rows: usize,
    depth: usize,
    row_stride: usize,
    step: usize,
}

impl<'a> Left<'a> {
    /// The matrix whose rows start `stride` numbers apart.
    ///
    /// # Panics
    /// If the slice is too short for it.
    pub(crate) fn new(numbers: &'a [f32], rows: usize, depth: usize, stride: usize) -> Self {
        assert!(rows == 0 || depth == 0 || (rows - 1) * stride + depth <= numbers.len());
        Self { numbers, rows, depth, row_stride: stride, step: 1 }
    }

    /// The transpose of the `depth × rows` matrix whose rows start `stride` numbers apart.
    ///
    /// # Panics
    /// If the slice is too short for it.
    pub(crate) fn transposed(numbers: &'a [f32], rows: usize, depth: usize, stride: usize) -> Self {
        assert!(rows == 0 || depth == 0 || (depth - 1) * stride + rows <= numbers.len());
        Self { numbers, rows, depth, row_stride: 1, step: stride }
    }
}

/// `out = left · right`, or `out += left · right` if `add`. The right matrix has `left`'s depth as
/// its rows; it and `out` have `columns` numbers per row, all of them side by side.
///
/// # Panics
/// If `columns` is not a multiple of 16 or a slice is too short.
pub(crate) fn multiply(left: Left<'_>, right: &[f32], columns: usize, out: &mut [f32], add: bool) {
    assert!(columns.is_multiple_of(16), "whole vectors on every machine");
    assert!(right.len() >= left.depth * columns && out.len() >= left.rows * columns);
    if columns == 0 || left.rows == 0 {
        return;
    }
    let out = &mut out[..left.rows * columns];
    let threads = match left.rows * left.depth * columns < WORTH_A_THREAD {
        true => 1,
        false => rayon::current_num_threads(),
    };
    // Shares may depend on the number of threads: no sum is split.
    let share = left.rows.div_ceil(threads).next_multiple_of(TALL);
    let run = |(index, out): (usize, &mut [f32])| {
        let part = Part { left, first: index * share, right, columns, out, add };
        Arch::new().dispatch(part);
    };
    if share >= left.rows {
        run((0, out));
    } else {
        out.par_chunks_mut(share * columns).enumerate().for_each(run);
    }
}

/// Some rows of the result, from `first` on.
struct Part<'a> {
    left: Left<'a>,
    first: usize,
    right: &'a [f32],
    columns: usize,
    out: &'a mut [f32],
    add: bool,
}

impl WithSimd for Part<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { left, first, right, columns, out, add } = self;
        let rows = out.len() / columns;
        if left.depth == 0 && !add {
            out.fill(0.0);
        }
        let mut packed = vec![0.0; PACKED.min(rows.next_multiple_of(TALL)) * DEEP.min(left.depth)];
        for start in (0..left.depth).step_by(DEEP) {
            let depth = DEEP.min(left.depth - start);
            let right = &right[start * columns..][..depth * columns];
            let is_sum = add || start > 0;
            for (index, out) in out.chunks_mut(PACKED * columns).enumerate() {
                let rows = out.len() / columns;
                let packed = &mut packed[..rows.next_multiple_of(TALL) * depth];
                pack(left, first + index * PACKED, rows, start, depth, packed);
                let mut column = 0;
                while column < columns {
                    let wide = columns - column >= 2 * S::F32_LANES;
                    let blocks = packed.chunks(TALL * depth).zip(out.chunks_mut(TALL * columns));
                    for (left, out) in blocks {
                        let right = &right[column..];
                        match wide {
                            true => tall::<S, 2>(simd, left, right, columns, out, column, is_sum),
                            false => tall::<S, 1>(simd, left, right, columns, out, column, is_sum),
                        }
                    }
                    column += if wide { 2 } else { 1 } * S::F32_LANES;
                }
            }
        }
    }
}

/// Copies rows of the left matrix, six by six, with the six side by side; zeros after the last.
#[inline(always)]
fn pack(left: Left<'_>, first: usize, rows: usize, start: usize, depth: usize, packed: &mut [f32]) {
    for (block, packed) in packed.chunks_mut(TALL * depth).enumerate() {
        let here = TALL.min(rows - block * TALL);
        let row = first + block * TALL;
        let sixes = packed.as_chunks_mut::<TALL>().0;
        if left.step > 1 && here == TALL {
            let numbers = left.numbers[start * left.step + row..].chunks(left.step);
            for (six, numbers) in sixes.iter_mut().zip(numbers) {
                six.copy_from_slice(&numbers[..TALL]);
            }
        } else if left.step == 1 && here == TALL {
            let of = |tall| &left.numbers[(row + tall) * left.row_stride + start..][..depth];
            let from: [&[f32]; TALL] = std::array::from_fn(of);
            for (at, six) in sixes.iter_mut().enumerate().take(depth) {
                *six = std::array::from_fn(|tall| from[tall][at]);
            }
        } else {
            for (at, six) in sixes.iter_mut().enumerate() {
                let place = row * left.row_stride + (start + at) * left.step;
                let number = |tall: usize| left.numbers[place + tall * left.row_stride];
                *six = std::array::from_fn(|tall| if tall < here { number(tall) } else { 0.0 });
            }
        }
    }
}

/// Up to six rows and `WIDE` vectors of columns.
#[inline(always)]
fn tall<S: Simd, const WIDE: usize>(
    simd: S,
    left: &[f32],
    right: &[f32],
    columns: usize,
    out: &mut [f32],
    column: usize,
    is_sum: bool,
) {
    let width = WIDE * S::F32_LANES;
    let mut sums = [[simd.splat_f32s(0.0); WIDE]; TALL];
    if is_sum {
        for (sums, out) in sums.iter_mut().zip(out.chunks(columns)) {
            let (out, _) = S::as_simd_f32s(&out[column..column + width]);
            sums.copy_from_slice(out);
        }
    }
    for (six, right) in left.as_chunks::<TALL>().0.iter().zip(right.chunks(columns)) {
        let (right, _) = S::as_simd_f32s(&right[..width]);
        let right: &[S::f32s; WIDE] = match right.first_chunk() {
            Some(right) => right,
            None => unreachable!("as many as were cut off"),
        };
        for (sums, &number) in sums.iter_mut().zip(six) {
            let number = simd.splat_f32s(number);
            for (sum, &right) in sums.iter_mut().zip(right) {
                *sum = simd.mul_add_f32s(number, right, *sum);
            }
        }
    }
    for (sums, out) in sums.iter().zip(out.chunks_mut(columns)) {
        let (out, _) = S::as_mut_simd_f32s(&mut out[column..column + width]);
        out.copy_from_slice(sums);
    }
}

/// The `rows × columns` matrix `from`, whose rows start `stride` apart, transposed into `to`, whose
/// rows start `to_stride` apart.
///
/// # Panics
/// If a slice is too short.
pub(crate) fn transpose(
    from: &[f32],
    rows: usize,
    columns: usize,
    stride: usize,
    to: &mut [f32],
    to_stride: usize,
) {
    const TILE: usize = 16;
    for first_row in (0..rows).step_by(TILE) {
        for first_column in (0..columns).step_by(TILE) {
            for row in first_row..rows.min(first_row + TILE) {
                for column in first_column..columns.min(first_column + TILE) {
                    to[column * to_stride + row] = from[row * stride + column];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rulebound_io::random::{Draws, Purpose, unit};

    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let draws = Draws::new(seed, Purpose::Weights(0));
        (0..count).map(|at| unit(draws.four(at as u32, 0, 0)[0]) - 0.5).collect()
    }

    /// From the definition: one sum per number, in order.
    fn slow(
        at: impl Fn(usize, usize) -> f32,
        depth: usize,
        right: &[f32],
        out: &mut [f32],
        columns: usize,
        add: bool,
    ) {
        for (place, out) in out.iter_mut().enumerate() {
            let (row, column) = (place / columns, place % columns);
            let start = if add { *out } else { 0.0 };
            *out = (0..depth)
                .fold(start, |sum, k| at(row, k).mul_add(right[k * columns + column], sum));
        }
    }

    proptest! {
        #[test]
        fn every_number_is_one_sum_in_order(
            rows in 1usize..40, depth in 0usize..500, sixteens in 1usize..6, pad in 0usize..5,
            is_transposed: bool, add: bool, seed: u64,
        ) {
            let columns = 16 * sixteens;
            let stride = pad + if is_transposed { rows } else { depth };
            let left = numbers(stride * rows.max(depth).max(1), seed);
            let right = numbers(depth * columns, seed ^ 1);
            let mut out = numbers(rows * columns, seed ^ 2);
            let mut expected = out.clone();
            if is_transposed {
                multiply(Left::transposed(&left, rows, depth, stride), &right, columns, &mut out, add);
                slow(|row, k| left[k * stride + row], depth, &right, &mut expected, columns, add);
            } else {
                multiply(Left::new(&left, rows, depth, stride), &right, columns, &mut out, add);
                slow(|row, k| left[row * stride + k], depth, &right, &mut expected, columns, add);
            }
            prop_assert_eq!(out, expected);
        }
    }

    #[test]
    fn large_products_do_not_depend_on_the_number_of_threads() {
        let (rows, depth, columns) = (301, 403, 128);
        let (left, right) = (numbers(rows * depth, 1), numbers(depth * columns, 2));
        let of = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = vec![0.0; rows * columns];
            pool.install(|| {
                multiply(Left::new(&left, rows, depth, depth), &right, columns, &mut out, false);
            });
            out
        };
        assert!(rows * depth * columns >= WORTH_A_THREAD);
        assert_eq!(of(1), of(3));
    }

    #[test]
    fn a_transpose_is_one() {
        let from = numbers(37 * 21, 3);
        let mut to = vec![0.0; 20 * 40];
        transpose(&from, 37, 20, 21, &mut to, 40);
        assert!(
            (0..37)
                .all(|row| (0..20).all(|column| to[column * 40 + row] == from[row * 21 + column]))
        );
    }
}
