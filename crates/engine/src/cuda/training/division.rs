//! How the products of a step on tensor cores are divided among blocks: from their sizes and the
//! precision alone, so that a member's bits depend neither on the other members nor on how many
//! multiprocessors a GPU has.

use crate::cuda::arithmetic::LARGE_LAYER;
use crate::cuda::parameters::Division;

/// The stages of a ring hold this much of k.
pub(super) const DEPTH: usize = 32;
/// Multiprocessors of the GPUs that the division is made for. Others have the same one.
pub(super) const PROCESSORS: usize = 132;
/// The most parts that the sum of a tile is divided into.
pub(super) const PARTS: usize = 8;
/// The fewest stages of a part.
pub(super) const STAGES_OF_PART: usize = 2;

/// What a kernel computes at a time, and needs for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) struct Tile {
    pub m: usize,
    pub n: usize,
    pub stages: usize,
    /// Blocks per multiprocessor.
    pub blocks: usize,
    /// Whether a block has one tile, all of its operands, and the weights and moments they update.
    pub is_at_once: bool,
}

impl Tile {
    pub const FORWARD_32: Self = Self::ring(32, 6, 3);
    pub const FORWARD_64: Self = Self::ring(64, 5, 2);
    pub const UPDATE: Self = Self::ring(64, 4, 2);
    pub const UPDATE_32: Self = Self::at_once(64, 64, 1);
    pub const UPDATE_96: Self = Self::at_once(64, 64, 3);
    pub const UPDATE_128: Self = Self::at_once(64, 64, 4);
    pub const UPDATE_LARGE_32: Self = Self::at_once(128, 32, 1);

    /// Threads per block.
    pub const THREADS: u32 = 128;

    const fn ring(m: usize, stages: usize, blocks: usize) -> Self {
        Self { m, n: 64, stages, blocks, is_at_once: false }
    }

    const fn at_once(m: usize, n: usize, stages: usize) -> Self {
        Self { m, n, stages, blocks: 2, is_at_once: true }
    }

    /// The tile of a product of this many rows with weights.
    pub fn of_product(rows: usize) -> Self {
        if rows <= 32 { Self::FORWARD_32 } else { Self::FORWARD_64 }
    }

    /// The tile of an update from this many rows, for a block with so many bytes of shared memory.
    pub fn of_update(rows: usize, weights: usize, shared: usize) -> Self {
        let small = match rows {
            0..=32 if weights >= LARGE_LAYER => Self::UPDATE_LARGE_32,
            0..=32 => Self::UPDATE_32,
            33..=96 => Self::UPDATE_96,
            97..=128 => Self::UPDATE_128,
            _ => Self::UPDATE,
        };
        if small.shared() + 1024 <= shared { small } else { Self::UPDATE }
    }

    /// Bytes of shared memory per block.
    pub const fn shared(self) -> usize {
        let kept = if self.is_at_once { 3 * self.m * self.n } else { 0 };
        4 * (self.stages * (self.m + self.n) * DEPTH + kept)
    }

    /// Divides a product of `m` by `n` sums, each over `k` terms.
    pub fn divide(self, m: usize, n: usize, k: usize) -> Division {
        let (tiles_m, tiles_n) = (m.div_ceil(self.m), n.div_ceil(self.n));
        let (tiles, steps) = ((tiles_m * tiles_n).max(1), k.div_ceil(DEPTH));
        let most = PROCESSORS * self.blocks;
        let parts = (most / tiles).min(PARTS);
        // Equal parts of every tile, if they keep nearly all multiprocessors busy.
        let is_even = parts == PARTS || tiles * parts * 10 >= most * 9;
        let workers = match tiles {
            _ if self.is_at_once => tiles,
            _ if tiles <= most && is_even => tiles * parts.min(steps / STAGES_OF_PART).max(1),
            _ => most.min(tiles.max(tiles * steps / STAGES_OF_PART)),
        };
        let divided = tiles % workers;
        let worth_it = divided * steps >= STAGES_OF_PART * workers;
        let whole = if worth_it || tiles < workers { tiles - divided } else { tiles };
        let sharers = if whole < tiles { workers } else { 0 };
        // Bands of tiles keep operands in the cache where there are many.
        let band = if !self.is_at_once && tiles > most { 8 } else { 1 };
        Division {
            tiles_m: tiles_m as u32,
            tiles_n: tiles_n as u32,
            steps: steps as u32,
            workers: workers as u32,
            sharers: sharers as u32,
            whole: whole as u32,
            band,
            in_turn: 0,
            shares: 0,
            arrived: 0,
        }
    }

    /// The same for so many members: where all their tiles keep a GPU busy, one worker takes all parts
    /// of a tile in turn. The bits are the same.
    pub fn divide_among(self, by: Division, members: usize) -> Division {
        let tiles = by.tiles_m * by.tiles_n;
        // From one block for half of the places on.
        let is_busy = 2 * tiles as usize * members >= PROCESSORS * self.blocks;
        if by.sharers > 0 && is_busy { Division { in_turn: 1, workers: tiles, ..by } } else { by }
    }
}

/// Every stage of every tile has a worker, none has parts of more than two tiles.
#[cfg(test)]
pub(super) fn assert_every_sum_is_taken_once(
    tile: &impl std::fmt::Debug,
    divide: impl Fn(usize, usize, usize) -> Division,
    is_never_divided: bool,
) {
    let sizes = [1, 16, 33, 64, 77, 500, 1008, 4126, 9000];
    for (m, n) in sizes.into_iter().flat_map(|m| sizes.map(|n| (m, n))) {
        for k in [1, 9, 16, 32, 80, 500, 4134, 9008] {
            let by = divide(m, n, k);
            let (tiles, sharers) = (by.tiles_m * by.tiles_n, u64::from(by.sharers));
            assert!(by.workers >= 1 && by.whole <= tiles, "{tile:?} {by:?}");
            assert!(by.sharers <= by.workers, "{tile:?} {by:?}");
            let divided = u64::from(tiles - by.whole) * u64::from(by.steps);
            if divided == 0 {
                continue;
            }
            assert!(!is_never_divided && divided >= sharers && sharers > 0, "{tile:?} {by:?}");
            let start = |worker: u64| divided * worker / sharers;
            for worker in 0..sharers {
                let (first, end) = (start(worker), start(worker + 1));
                let tile = |stage: u64| stage / u64::from(by.steps);
                assert!(first < end && tile(end - 1) - tile(first) < 2, "{by:?}");
                for stage in first..end {
                    assert_eq!(((stage + 1) * sharers - 1) / divided, worker);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILES: [Tile; 7] = [
        Tile::FORWARD_32,
        Tile::FORWARD_64,
        Tile::UPDATE,
        Tile::UPDATE_32,
        Tile::UPDATE_96,
        Tile::UPDATE_128,
        Tile::UPDATE_LARGE_32,
    ];

    #[test]
    fn every_sum_is_taken_once() {
        for tile in TILES {
            assert_every_sum_is_taken_once(&tile, |m, n, k| tile.divide(m, n, k), tile.is_at_once);
        }
    }

    #[test]
    fn an_update_fits_into_shared_memory() {
        for shared in [101_376, 166_912, 232_448] {
            for rows in 1..300 {
                for weights in [100, LARGE_LAYER] {
                    let tile = Tile::of_update(rows, weights, shared);
                    assert!(tile.shared() + 1024 <= shared);
                    assert!(!tile.is_at_once || rows.div_ceil(DEPTH) <= tile.stages);
                }
            }
        }
    }
}
