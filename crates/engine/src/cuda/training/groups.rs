//! Large products on Hopper, by groups of four warps: which products, in which tiles, and the boxes that
//! are copied.
//!
//! As in `division.rs` everything follows from sizes and precision alone. First layers are not among
//! them: they are narrow, and gathered rows would be needed transposed.

use std::ffi::c_void;

use cudarc::driver::sys;

use super::division::{DEPTH, PARTS, PROCESSORS, STAGES_OF_PART};
use crate::cuda::arithmetic::LARGE_LAYER;
use crate::cuda::error::CudaError;
use crate::cuda::parameters::{Boxes, Division, Matrix};
use crate::network::Precision;

/// Rows of a batch from which the tiles of groups are full enough, and from which they are for products of
/// large layers. For updates of few rows, warps have a kernel of their own.
const MANY_ROWS: usize = 129;
const ROWS_OF_LARGE: usize = 65;
/// Tiles of 128 x 128 from which a product has enough of them; of an update, which is not divided along k.
const MANY_TILES: usize = 96;
const MANY_UPDATES: usize = 60;
/// The most parts of a tile that is left over when all multiprocessors have had whole ones.
const PARTS_OF_REST: usize = 4;

/// What a kernel of groups computes at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) struct GroupTile {
    /// Rows: of the product's side that weights or gradients give.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Groups that multiply. One more fills the ring.
    groups: usize,
    stages: usize,
    /// Whether operand b has its rests beside it.
    is_exact: bool,
    is_update: bool,
}

/// A kind of product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) enum Way {
    Forward,
    Below,
    Update,
}

impl GroupTile {
    /// The tile of a product of a layer above the first with this many weights, whose rows and columns
    /// are `m` and `n`; none if warps by themselves do it better.
    pub fn of(
        way: Way,
        precision: Precision,
        rows: usize,
        m: usize,
        n: usize,
        weights: usize,
    ) -> Option<Self> {
        let is_update = way == Way::Update;
        let tiles = m.div_ceil(128) * n.div_ceil(128);
        let least = if is_update { MANY_UPDATES } else { MANY_TILES };
        let is_large = weights >= LARGE_LAYER;
        let least_rows = if is_large && !is_update { ROWS_OF_LARGE } else { MANY_ROWS };
        if rows < least_rows || !is_large && tiles < least {
            return None;
        }
        let is_one_column = rows <= 128;
        let (m, n, groups, stages) = match (precision, way, is_large) {
            (Precision::Tf32, Way::Forward, true) if is_one_column => (256, 128, 2, 4),
            (Precision::Tf32, Way::Below, true) => (256, 128, 2, 4),
            (Precision::Tf32, _, true) => (128, 256, 2, 4),
            (Precision::Tf32, _, false) => (128, 128, 1, 3),
            (Precision::Fp32, Way::Forward | Way::Below, true) if !is_one_column => {
                (256, 128, 2, 3)
            }
            (Precision::Fp32, ..) => (128, 128, 2, 4),
        };
        Some(Self { m, n, groups, stages, is_exact: precision == Precision::Fp32, is_update })
    }

    /// Threads per block.
    pub fn threads(self) -> u32 {
        128 * (self.groups as u32 + 1)
    }

    /// Bytes of shared memory per block; the ring begins at a multiple of 1024.
    pub fn shared(self) -> usize {
        let copies = if self.is_exact { 2 } else { 1 };
        self.stages * 4 * DEPTH * (self.m + copies * self.n) + 1024
    }

    /// Rows of a tile that a thread has.
    pub fn own_rows(self) -> usize {
        self.m / (32 * self.groups)
    }

    /// Divides a product of `m` by `n` sums, each over `k` terms. Updates are not divided along k.
    pub fn divide(self, m: usize, n: usize, k: usize) -> Division {
        let (tiles_m, tiles_n) = (m.div_ceil(self.m), n.div_ceil(self.n));
        let (tiles, steps) = (tiles_m * tiles_n, k.div_ceil(DEPTH));
        let most = PROCESSORS * (3 - self.groups);
        let whole = match tiles {
            _ if self.is_update || steps < STAGES_OF_PART => tiles,
            // Every multiprocessor has one of its two blocks.
            _ if tiles < most && self.groups == 1 && tiles >= PROCESSORS => tiles,
            _ => tiles / most * most,
        };
        let rest = tiles - whole;
        let parts = if whole == 0 { PARTS } else { PARTS_OF_REST }.min(steps / STAGES_OF_PART);
        // As many parts of every tile, if that is more than one.
        let sharers = match (rest, most / rest.max(1)) {
            (0, _) => 0,
            (_, 1) if whole == 0 && parts > 1 => most,
            (_, each) => rest * each.min(parts).max(1),
        };
        Division {
            tiles_m: tiles_m as u32,
            tiles_n: tiles_n as u32,
            steps: steps as u32,
            workers: most.min(whole).max(sharers).max(1) as u32,
            sharers: sharers as u32,
            whole: whole as u32,
            band: if self.is_update { 8 } else { 1 },
            in_turn: 0,
            shares: 0,
            arrived: 0,
        }
    }
}

/// How boxes of a matrix are laid out.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct BoxesOf {
    pub matrix: Matrix,
    /// Numbers per row, rows, members.
    pub sizes: [usize; 3],
    /// Rows of a box; it has 32 columns.
    pub rows: usize,
    /// Rows that follow each other in a box are this many apart.
    pub turns: usize,
    /// Whether numbers are rounded to TF32 on their way.
    pub is_rounded: bool,
}

impl BoxesOf {
    /// Has the driver describe the boxes.
    pub fn encode(&self) -> Result<Boxes, CudaError> {
        let Self { matrix, sizes: [columns, rows, members], turns, .. } = *self;
        let row = u64::from(matrix.stride) * 4;
        let (columns, members, turns) = (columns as u64, members as u64, turns as u64);
        let box_rows = self.rows as u32;
        // Without turns there are three dimensions.
        let (sizes, strides, extent) = if turns == 1 {
            ([columns, rows as u64, members, 1], [row, matrix.member * 4, 0], [32, box_rows, 1, 1])
        } else {
            let sizes = [columns, turns, (rows as u64).div_ceil(turns), members];
            (sizes, [row, row * turns, matrix.member * 4], [32, 1, box_rows, 1])
        };
        let kind = match self.is_rounded {
            true => sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
            false => sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        };
        let mut boxes = Boxes::NONE;
        // SAFETY: the driver writes 128 bytes, aligned to 64, and reads as many sizes as there are
        // dimensions; it only keeps the address of the matrix.
        #[allow(unsafe_code)]
        let told = unsafe {
            sys::cuTensorMapEncodeTiled(
                (&raw mut boxes).cast(),
                kind,
                if turns == 1 { 3 } else { 4 },
                matrix.cells as *mut c_void,
                sizes.as_ptr(),
                strides.as_ptr(),
                extent.as_ptr(),
                [1u32; 4].as_ptr(),
                sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
                sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            )
        };
        told.result()?;
        Ok(boxes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::division::assert_every_sum_is_taken_once;
    use super::*;

    fn tiles() -> Vec<GroupTile> {
        let mut tiles = Vec::new();
        for way in [Way::Forward, Way::Below, Way::Update] {
            for precision in Precision::ALL {
                for weights in [100, LARGE_LAYER] {
                    for rows in [128, 512] {
                        tiles.extend(GroupTile::of(way, precision, rows, 9000, 9000, weights));
                    }
                }
            }
        }
        tiles
    }

    #[test]
    fn every_sum_is_taken_once() {
        for tile in tiles() {
            let divide = |m, n, k| tile.divide(m, n, k);
            assert_every_sum_is_taken_once(&tile, divide, tile.is_update);
        }
    }

    #[test]
    fn every_block_fits_and_every_slice_fits_into_a_stage() {
        for tile in tiles() {
            assert!(tile.shared() + 1024 <= 232_448 / (3 - tile.groups), "{tile:?}");
            let stage = (tile.shared() - 1024) / tile.stages;
            assert!(3 * 64 * 4 * (tile.m / tile.own_rows()) <= stage, "{tile:?}");
        }
    }

    #[test]
    fn small_layers_and_few_rows_are_left_to_warps() {
        let of = |rows, m, n| GroupTile::of(Way::Forward, Precision::Tf32, rows, m, n, m * 1008);
        assert_eq!(of(64, 9000, 64), None);
        assert_eq!(of(2048, 500, 2048), None);
        assert_eq!(of(512, 1000, 512), None);
        // A large layer has tiles of its own from fewer rows on.
        assert_eq!(of(128, 4000, 128), None);
        assert!(of(128, 9000, 128).is_some());
        assert!(of(512, 4126, 512).is_some() && of(2048, 1000, 2048).is_some());
    }
}
