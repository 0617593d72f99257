//! Rows → lanes and back: the transposition on the way into and out of a tile.
//!
//! As in `tile`: plain loops over fixed arrays, or there is no vector code.

/// The number of classes that are transposed at a time.
const SIDE: usize = 16;

/// Copies rows into the lanes of a tile through `change`; lanes without a row
/// repeat the last one. Returns whether `is_bad` was true of any value.
#[inline(always)]
pub(crate) fn transpose_in<S: Copy, D: Copy + Default, const LANES: usize>(
    rows: &[S],
    classes: usize,
    tile: &mut [D],
    change: impl Fn(S) -> D,
    is_bad: impl Fn(S) -> bool,
) -> bool {
    let last = rows.len() / classes - 1;
    let mut bad = 0;
    let mut square = [[D::default(); SIDE]; LANES];
    let mut spare = square;
    for class in (0..classes).step_by(SIDE) {
        let width = SIDE.min(classes - class);
        for lane in 0..LANES {
            let row = &rows[lane.min(last) * classes + class..][..width];
            if let Some(row) = row.first_chunk::<SIDE>() {
                for at in 0..SIDE {
                    bad |= u32::from(is_bad(row[at]));
                    square[lane][at] = change(row[at]);
                }
            } else {
                for at in 0..width {
                    bad |= u32::from(is_bad(row[at]));
                    square[lane][at] = change(row[at]);
                }
            }
        }
        let (from, to) = shuffle(&mut square, &mut spare, LANES.ilog2() - 1);
        if width == SIDE {
            interleave(from, &mut tile[class * LANES..][..SIDE * LANES]);
        } else {
            interleave(from, to);
            tile[class * LANES..].copy_from_slice(&to[..width * LANES]);
        }
    }
    bad != 0
}

/// Copies the lanes of a tile into rows through `change`.
#[inline(always)]
pub(crate) fn transpose_out<S: Copy + Default, D, const LANES: usize>(
    tile: &[S],
    classes: usize,
    rows: &mut [D],
    change: impl Fn(S) -> D,
) {
    let count = rows.len() / classes;
    let mut square = [[S::default(); SIDE]; LANES];
    let mut spare = square;
    for class in (0..classes).step_by(SIDE) {
        let width = SIDE.min(classes - class);
        if width == SIDE {
            interleave(&tile[class * LANES..][..SIDE * LANES], square.as_flattened_mut());
        } else {
            spare.as_flattened_mut()[..width * LANES].copy_from_slice(&tile[class * LANES..]);
            interleave(spare.as_flattened(), square.as_flattened_mut());
        }
        let (turned, _) = shuffle(&mut square, &mut spare, SIDE.ilog2() - 1);
        for (lane, side) in turned.chunks_exact(SIDE).enumerate().take(count) {
            let row = &mut rows[lane * classes + class..][..width];
            if let Some(row) = row.first_chunk_mut::<SIDE>() {
                for at in 0..SIDE {
                    row[at] = change(side[at]);
                }
            } else {
                for at in 0..width {
                    row[at] = change(side[at]);
                }
            }
        }
    }
}

/// A perfect shuffle: an element moves to the index that has the highest bit of the
/// old index at its lower end. As many of them as a row number has bits
/// make rows columns, and each is nothing but interleaving, which is vector code.
#[inline(always)]
fn interleave<T: Copy>(from: &[T], to: &mut [T]) {
    let (low, high) = from.split_at(from.len() / 2);
    for (pair, (low, high)) in to.chunks_exact_mut(2).zip(low.iter().zip(high)) {
        pair[0] = *low;
        pair[1] = *high;
    }
}

/// Shuffles `rounds` times, between two buffers; the result, and the other one.
#[inline(always)]
fn shuffle<'a, T: Copy, const LANES: usize>(
    square: &'a mut [[T; SIDE]; LANES],
    spare: &'a mut [[T; SIDE]; LANES],
    rounds: u32,
) -> (&'a [T], &'a mut [T]) {
    let (mut from, mut to) = (square.as_flattened_mut(), spare.as_flattened_mut());
    for _ in 0..rounds {
        interleave(from, to);
        std::mem::swap(&mut from, &mut to);
    }
    (from, to)
}
