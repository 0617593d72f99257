//! Rows to lanes and back: the transposition at the door of a tile.
//!
//! As in `tile`: plain loops over fixed arrays, or there is no vector code.

/// How many classes are turned from rows to lanes at a time.
const SIDE: usize = 16;

/// Copies rows into the lanes of a tile through `change`; lanes without a row
/// repeat the last one. Returns whether `is_bad` was true of any value.
#[inline(always)]
pub(crate) fn turn_in<S: Copy, D: Copy + Default, const LANES: usize>(
    rows: &[S],
    classes: usize,
    tile: &mut [D],
    change: impl Fn(S) -> D,
    is_bad: impl Fn(S) -> bool,
) -> bool {
    let last = rows.len() / classes - 1;
    let mut bad = 0;
    let mut square = [[D::default(); SIDE]; LANES];
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
        let block = &mut tile[class * LANES..(class + width) * LANES];
        for (at, lanes) in block.chunks_exact_mut(LANES).enumerate() {
            for lane in 0..LANES {
                lanes[lane] = square[lane][at];
            }
        }
    }
    bad != 0
}

/// Copies the lanes of a tile into rows through `change`.
#[inline(always)]
pub(crate) fn turn_out<S: Copy + Default, D, const LANES: usize>(
    tile: &[S],
    classes: usize,
    rows: &mut [D],
    change: impl Fn(S) -> D,
) {
    let count = rows.len() / classes;
    let mut square = [[S::default(); SIDE]; LANES];
    for class in (0..classes).step_by(SIDE) {
        let width = SIDE.min(classes - class);
        let block = &tile[class * LANES..(class + width) * LANES];
        for (at, lanes) in block.chunks_exact(LANES).enumerate() {
            for lane in 0..LANES {
                square[lane][at] = lanes[lane];
            }
        }
        for (lane, side) in square.iter().enumerate().take(count) {
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
