//! A few rows of the left matrix times a panel of the right one: the inner loop of blocked products.
//!
//! Every number of the result is one sum, taken in order of the inner index with fused
//! multiply-adds: the same bits for vectors of any width, however the rows are grouped.

use pulp::Simd;

use super::panels::PANEL;

/// Rows of a tile, whatever the machine.
pub(super) const TALL: usize = 8;

/// The numbers of a tile: 32 columns per row.
pub(super) type Tile = [[f32; PANEL]; TALL];

/// Where the rows of the left matrix are.
pub(super) trait LeftRows: Copy {
    /// The number of row `row` of the tile at inner index `at`.
    fn number(&self, row: usize, at: usize) -> f32;
}

/// Each row on its own, its numbers side by side.
#[derive(Clone, Copy)]
pub(super) struct Apart<'a>(pub [&'a [f32]; TALL]);

impl LeftRows for Apart<'_> {
    #[inline(always)]
    fn number(&self, row: usize, at: usize) -> f32 {
        self.0[row][at]
    }
}

/// For every inner index the rows side by side.
#[derive(Clone, Copy)]
pub(super) struct Packed<'a>(pub &'a [[f32; TALL]]);

impl LeftRows for Packed<'_> {
    #[inline(always)]
    fn number(&self, row: usize, at: usize) -> f32 {
        self.0[at][row]
    }
}

/// Adds `left · right` to the first `width` columns of a tile; `right` is a part of a panel, as deep
/// as it is long.
#[inline(always)]
pub(super) fn add<S: Simd>(
    simd: S,
    tile: &mut Tile,
    left: impl LeftRows,
    right: &[[f32; PANEL]],
    width: usize,
) {
    let vectors = width.div_ceil(S::F32_LANES);
    let mut at = 0;
    while at < vectors {
        // As many sums as hide the latency of one, and no more than there are registers for.
        at += match (S::F32_LANES, vectors - at) {
            (16, 2..) => some::<S, 2, TALL>(simd, tile, left, right, at),
            (16, _) => some::<S, 1, TALL>(simd, tile, left, right, at),
            (_, 2..) => some::<S, 2, 4>(simd, tile, left, right, at),
            (_, _) => some::<S, 1, 4>(simd, tile, left, right, at),
        };
    }
}

/// `WIDE` vectors of columns, from vector `first` on, `T` rows at a time.
#[inline(always)]
fn some<S: Simd, const WIDE: usize, const T: usize>(
    simd: S,
    tile: &mut Tile,
    left: impl LeftRows,
    right: &[[f32; PANEL]],
    first: usize,
) -> usize {
    for (part, rows) in tile.as_chunks_mut::<T>().0.iter_mut().enumerate() {
        let mut sums = [[simd.splat_f32s(0.0); WIDE]; T];
        for (sums, row) in sums.iter_mut().zip(rows.iter()) {
            sums.copy_from_slice(&S::as_simd_f32s(row).0[first..first + WIDE]);
        }
        for (at, right) in right.iter().enumerate() {
            let right = &S::as_simd_f32s(right).0[first..first + WIDE];
            for (row, sums) in sums.iter_mut().enumerate() {
                let number = simd.splat_f32s(left.number(part * T + row, at));
                for (sum, &right) in sums.iter_mut().zip(right) {
                    *sum = simd.mul_add_f32s(number, right, *sum);
                }
            }
        }
        for (sums, row) in sums.iter().zip(rows) {
            S::as_mut_simd_f32s(row).0[first..first + WIDE].copy_from_slice(sums);
        }
    }
    WIDE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(place: usize) -> f32 {
        (place as f32 * 0.9).sin()
    }

    /// With vectors of one, eight and, where there are such, sixteen numbers.
    fn check<S: Simd>(simd: S) {
        for (depth, width) in [(0, 32), (1, 1), (7, 9), (33, 16), (40, 17), (65, 32)] {
            let rows: Vec<f32> = (0..TALL * depth).map(number).collect();
            let mut packed = vec![[0.0; TALL]; depth];
            for row in 0..TALL {
                (0..depth).for_each(|at| packed[at][row] = rows[row * depth + at]);
            }
            let right: Vec<[f32; PANEL]> = (0..depth)
                .map(|at| std::array::from_fn(|it| number(at * PANEL + it + 3)))
                .collect();
            let start: Tile = [[0.25; PANEL]; TALL];
            let (mut apart, mut together) = (start, start);
            let left = Apart(std::array::from_fn(|row| &rows[row * depth..][..depth]));
            add(simd, &mut apart, left, &right, width);
            add(simd, &mut together, Packed(&packed), &right, width);
            for row in 0..TALL {
                for column in 0..width {
                    let term = |sum, at: usize| packed[at][row].mul_add(right[at][column], sum);
                    let expected: f32 = (0..depth).fold(0.25, term);
                    assert_eq!([apart[row][column], together[row][column]], [expected; 2]);
                }
            }
        }
    }

    #[test]
    fn vectors_of_any_width_give_the_bits_of_the_definition() {
        check(pulp::Scalar::new());
        check(pulp::Scalar256b);
        #[cfg(target_arch = "x86_64")]
        {
            pulp::x86::V3::try_new().into_iter().for_each(check);
            pulp::x86::V4::try_new().into_iter().for_each(check);
        }
    }
}
