//! A matrix in panels of 32 columns: the right side of a blocked product.
//!
//! A panel holds, for every inner index, its 32 numbers side by side; after the last column there
//! are zeros. So a product reads a panel from beginning to end, and a transposition goes from
//! squares of 4 KiB to squares of 4 KiB.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::lanes::{Block, numbers, numbers_mut};

/// Columns per panel.
pub(super) const PANEL: usize = 32;

/// Numbers below which a second thread costs more than it gains.
const WORTH_A_THREAD: usize = 1 << 16;

/// `depth × columns` numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Panels {
    depth: usize,
    columns: usize,
    blocks: Vec<Block>,
}

impl Panels {
    /// Resizes; what was there is lost, and all numbers are 0.
    pub(super) fn reset(&mut self, depth: usize, columns: usize) {
        self.blocks.clear();
        self.resize(depth, columns);
    }

    /// Resizes; the numbers are any.
    pub(super) fn resize(&mut self, depth: usize, columns: usize) {
        (self.depth, self.columns) = (depth, columns);
        self.blocks.resize(depth * columns.div_ceil(PANEL) * (PANEL / Block::LANES), Block::ZERO);
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn count(&self) -> usize {
        self.columns.div_ceil(PANEL)
    }

    /// How many columns of a panel are in use.
    pub(super) fn width(&self, panel: usize) -> usize {
        (self.columns - panel * PANEL).min(PANEL)
    }

    pub(super) fn panel(&self, panel: usize) -> &[f32] {
        &numbers(&self.blocks)[panel * self.depth * PANEL..][..self.depth * PANEL]
    }

    /// All panels, one after the other.
    #[cfg(test)]
    pub(super) fn numbers(&self) -> &[f32] {
        numbers(&self.blocks)
    }

    /// All panels, one after the other.
    pub(super) fn numbers_mut(&mut self) -> &mut [f32] {
        numbers_mut(&mut self.blocks)
    }

    #[inline(always)]
    pub(super) fn set(&mut self, at: usize, column: usize, number: f32) {
        let place = (column / PANEL * self.depth + at) * PANEL + column % PANEL;
        self.numbers_mut()[place] = number;
    }

    #[inline(always)]
    pub(super) fn number(&self, at: usize, column: usize) -> f32 {
        numbers(&self.blocks)[(column / PANEL * self.depth + at) * PANEL + column % PANEL]
    }

    /// Takes `depth` rows, each padded to a multiple of 32 numbers, of which `columns` count.
    pub(super) fn copy_units(&mut self, rows: &[f32], depth: usize, columns: usize) {
        self.resize(depth, columns);
        let stride = columns.next_multiple_of(PANEL);
        for (panel, to) in self.numbers_mut().chunks_mut((depth * PANEL).max(1)).enumerate() {
            for (at, to) in to.as_chunks_mut::<PANEL>().0.iter_mut().enumerate() {
                to.copy_from_slice(&rows[at * stride + panel * PANEL..][..PANEL]);
            }
        }
    }

    /// The transpose of `from`.
    pub(super) fn transpose(&mut self, from: &Self) {
        self.resize(from.columns, from.depth);
        let (depth, above) = (self.depth, from.depth);
        let run = |(panel, to): (usize, &mut [f32])| {
            let first = panel * PANEL;
            let height = PANEL.min(above - first);
            for at in 0..from.count() {
                let from = &from.panel(at)[first * PANEL..];
                let to = &mut to[at * PANEL * PANEL..];
                let width = PANEL.min(depth - at * PANEL);
                turn(Rows { numbers: from, stride: PANEL, height, width: PANEL }, to, PANEL, width);
            }
        };
        self.each_panel(run);
    }

    /// The transpose of a row-major matrix, `columns` rows of `depth` numbers each.
    pub(super) fn transpose_rows(&mut self, rows: &[f32], depth: usize, columns: usize) {
        assert_eq!(rows.len(), depth * columns);
        self.resize(depth, columns);
        let run = |(panel, to): (usize, &mut [f32])| {
            let first = panel * PANEL;
            let height = PANEL.min(columns - first);
            for at in (0..depth).step_by(PANEL) {
                let width = PANEL.min(depth - at);
                let numbers = &rows[first * depth + at..];
                turn(
                    Rows { numbers, stride: depth, height, width },
                    &mut to[at * PANEL..],
                    PANEL,
                    width,
                );
            }
        };
        self.each_panel(run);
    }

    /// The transpose as a row-major matrix.
    pub(super) fn write_rows(&self, rows: &mut [f32]) {
        let depth = self.depth;
        assert_eq!(rows.len(), depth * self.columns);
        let run = |(panel, rows): (usize, &mut [f32])| {
            let height = rows.len() / depth;
            for at in (0..depth).step_by(PANEL) {
                let width = PANEL.min(depth - at);
                let from = &self.panel(panel)[at * PANEL..];
                let from = Rows { numbers: from, stride: PANEL, height: width, width: PANEL };
                turn(from, &mut rows[at..], depth, height);
            }
        };
        let chunk = depth * PANEL;
        if rows.len() < WORTH_A_THREAD {
            rows.chunks_mut(chunk.max(1)).enumerate().for_each(run);
        } else {
            rows.par_chunks_mut(chunk).enumerate().for_each(run);
        }
    }

    /// Runs `work` on every panel, on several threads if that pays.
    pub(super) fn each_panel(&mut self, work: impl Fn((usize, &mut [f32])) + Send + Sync) {
        let size = (self.depth * PANEL).max(1);
        let is_large = self.blocks.len() * Block::LANES >= WORTH_A_THREAD;
        let numbers = self.numbers_mut();
        if is_large {
            numbers.par_chunks_mut(size).enumerate().for_each(work);
        } else {
            numbers.chunks_mut(size).enumerate().for_each(work);
        }
    }
}

impl Panels {
    /// Runs `work` on every panel and its part of `other`, which has as many.
    pub(super) fn each_panel_with(
        &mut self,
        other: &mut Self,
        work: impl Fn(usize, &mut [f32], &mut [f32]) + Sync,
    ) {
        assert_eq!(self.columns, other.columns);
        let (size, theirs) = ((self.depth * PANEL).max(1), (other.depth * PANEL).max(1));
        let is_large = self.blocks.len() * Block::LANES >= WORTH_A_THREAD;
        let (own, others) = (self.numbers_mut(), other.numbers_mut());
        if is_large {
            let panels = own.par_chunks_mut(size).zip(others.par_chunks_mut(theirs)).enumerate();
            panels.for_each(|(panel, (own, other))| work(panel, own, other));
        } else {
            let panels = own.chunks_mut(size).zip(others.chunks_mut(theirs)).enumerate();
            panels.for_each(|(panel, (own, other))| work(panel, own, other));
        }
    }
}

/// Some rows of a matrix, at most 32 of at most 32 numbers.
#[derive(Clone, Copy)]
struct Rows<'a> {
    numbers: &'a [f32],
    stride: usize,
    height: usize,
    width: usize,
}

/// Writes the transpose of `from`: `count` rows, which start `stride` numbers apart. A row is as wide
/// as `from` is high, or 32 with zeros at the end if there is room for that.
fn turn(from: Rows<'_>, to: &mut [f32], stride: usize, count: usize) {
    Arch::new().dispatch(Turn { from, to, stride, count });
}

struct Turn<'a> {
    from: Rows<'a>,
    to: &'a mut [f32],
    stride: usize,
    count: usize,
}

type Square = [f32; PANEL * PANEL];

impl WithSimd for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { from, to, stride, count } = self;
        let mut square: Square = [0.0; PANEL * PANEL];
        let mut spare = square;
        let rows = from.numbers.chunks(from.stride).take(from.height);
        for (row, square) in rows.zip(square.as_chunks_mut::<PANEL>().0) {
            match row.first_chunk::<PANEL>() {
                Some(row) if from.width == PANEL => *square = *row,
                _ => square[..from.width].copy_from_slice(&row[..from.width]),
            }
        }
        // Five perfect shuffles turn the square: each rotates the bits of the places by one.
        shuffle(&square, &mut spare);
        shuffle(&spare, &mut square);
        shuffle(&square, &mut spare);
        shuffle(&spare, &mut square);
        shuffle(&square, &mut spare);
        let width = if stride == PANEL { PANEL } else { from.height };
        for (row, to) in spare.as_chunks::<PANEL>().0.iter().zip(to.chunks_mut(stride)).take(count)
        {
            match to.first_chunk_mut::<PANEL>() {
                Some(to) if width == PANEL => *to = *row,
                _ => to[..width].copy_from_slice(&row[..width]),
            }
        }
    }
}

#[inline(always)]
fn shuffle(from: &Square, to: &mut Square) {
    const HALF: usize = PANEL * PANEL / 2;
    for at in 0..HALF {
        to[2 * at] = from[at];
        to[2 * at + 1] = from[at + HALF];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(panels: &Panels, depth: usize, column: usize) -> f32 {
        panels.panel(column / PANEL)[depth * PANEL + column % PANEL]
    }

    proptest! {
        #[test]
        fn transpositions_are_what_they_say(depth in 1usize..140, columns in 1usize..140) {
            let rows: Vec<f32> = (0..depth * columns).map(|at| at as f32 + 1.0).collect();
            let (mut panels, mut turned) = (Panels::default(), Panels::default());
            // What was there before is overwritten.
            panels.resize(200, 200);
            panels.numbers_mut().fill(f32::NAN);
            panels.transpose_rows(&rows, depth, columns);
            turned.resize(200, 200);
            turned.numbers_mut().fill(f32::NAN);
            turned.transpose(&panels);
            for (place, &number) in rows.iter().enumerate() {
                let (row, column) = (place / depth, place % depth);
                prop_assert_eq!(at(&panels, column, row), number);
                prop_assert_eq!(at(&turned, row, column), number);
            }
            let of = |panels: &Panels| panels.numbers().iter().filter(|&&n| n == 0.0).count();
            prop_assert_eq!(of(&panels), panels.numbers().len() - rows.len());
            prop_assert_eq!(of(&turned), turned.numbers().len() - rows.len());
            let mut back = vec![f32::NAN; rows.len()];
            panels.write_rows(&mut back);
            prop_assert_eq!(back, rows);
        }
    }
}
