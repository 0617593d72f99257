//! Products with weights, for batches that are large enough for them: sums and gradients of inputs.
//!
//! Rows of weights are split among threads, and no sum is ever split, so results have the same bits
//! for any number of threads, and for a row whatever the other rows are.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::lanes::{Block, prefetch_numbers};
use super::linear::Linear;
use super::panels::{PANEL, Panels};
use super::tile::{self, Apart, Packed, TALL, Tile};

/// Inner indices per pass: what a pass reads of a panel stays in the cache.
const DEEP: usize = 256;

/// Room after packed rows: without it they would start in the same few sets of the first-level cache.
const ROOM: usize = 2;

/// Rows of the result per share of the work, at most: their weights stay in the second-level cache.
const MOST: usize = 256;

/// Multiplications below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 20;

impl Linear {
    /// The sums of a batch: `input` has a unit more than the layer has inputs, all ones.
    pub(super) fn blocked_sums(&self, input: &Panels, sums: &mut Panels) {
        assert_eq!(input.depth(), self.inputs() + 1);
        let left = Weights { layer: self, turned: false };
        product(left, self.outputs(), input, sums);
    }

    /// The gradient of the inputs of a batch, given that of its sums.
    pub(super) fn blocked_input_gradient(&self, sums: &Panels, below: &mut Panels) {
        assert_eq!(sums.depth(), self.outputs());
        let left = Weights { layer: self, turned: true };
        product(left, self.inputs(), sums, below);
    }
}

/// The weights of a layer as the left matrix, or its transpose.
#[derive(Clone, Copy)]
struct Weights<'a> {
    layer: &'a Linear,
    turned: bool,
}

/// `out = left · right`, where the left matrix has `rows` rows.
fn product(left: Weights<'_>, rows: usize, right: &Panels, out: &mut Panels) {
    out.resize(rows, right.columns());
    // Shares may depend on the number of threads: no sum is split.
    let share = rows.div_ceil(4 * rayon::current_num_threads());
    let share = share.next_multiple_of(Block::LANES).min(MOST);
    let mut shares: Vec<Share<'_>> = (0..rows.div_ceil(share))
        .map(|index| Share { left, first: index * share, right, out: Vec::new() })
        .collect();
    for panel in out.numbers_mut().chunks_mut((rows * PANEL).max(1)) {
        for (share, out) in shares.iter_mut().zip(panel.chunks_mut(share * PANEL)) {
            share.out.push(out);
        }
    }
    let work = rows * right.depth() * right.count() * PANEL;
    if work < WORTH_A_THREAD {
        shares.into_iter().for_each(|share| Arch::new().dispatch(share));
    } else {
        shares.into_par_iter().with_max_len(1).for_each(|share| Arch::new().dispatch(share));
    }
}

/// Some rows of the result, from `first` on, panel by panel.
struct Share<'a> {
    left: Weights<'a>,
    first: usize,
    right: &'a Panels,
    out: Vec<&'a mut [f32]>,
}

impl WithSimd for Share<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { left: Weights { layer, turned }, first, right, mut out } = self;
        let depth = right.depth();
        let rows = out.first().map_or(0, |out| out.len() / PANEL);
        let stride = layer.blocks() * Block::LANES;
        let weights = layer.numbers();
        let size = if turned { (DEEP + ROOM) * rows.div_ceil(TALL) } else { 0 };
        let mut packed = vec![[0.0; TALL]; size];
        for start in (0..depth).step_by(DEEP) {
            let deep = DEEP.min(depth - start);
            if turned {
                pack(&weights[start * stride + first..], stride, deep, rows, &mut packed);
            }
            for (panel, out) in out.iter_mut().enumerate() {
                let width = right.width(panel);
                let right = &right.panel(panel).as_chunks::<PANEL>().0[start..start + deep];
                for (part, out) in out.chunks_mut(TALL * PANEL).enumerate() {
                    let out = out.as_chunks_mut::<PANEL>().0;
                    let mut tile: Tile = [[0.0; PANEL]; TALL];
                    if start > 0 {
                        tile[..out.len()].copy_from_slice(out);
                    }
                    if turned {
                        let left = Packed(&packed[part * (DEEP + ROOM)..][..deep]);
                        tile::add(simd, &mut tile, left, right, width);
                    } else {
                        // Past the last row it is computed again, and not used.
                        let row = |row: usize| first + part * TALL + row.min(out.len() - 1);
                        let of = |at| &weights[row(at) * stride + start..][..deep];
                        let left = Apart(std::array::from_fn(of));
                        tile::add(simd, &mut tile, left, right, width);
                    }
                    out.copy_from_slice(&tile[..out.len()]);
                }
            }
        }
    }
}

/// Copies columns of weights, eight by eight, with the eight side by side.
#[inline(always)]
fn pack(weights: &[f32], stride: usize, deep: usize, rows: usize, packed: &mut [[f32; TALL]]) {
    /// How many outputs later a prefetched weight is needed.
    const AHEAD: usize = 4;
    for (at, from) in weights.chunks(stride).take(deep).enumerate() {
        for column in (0..rows).step_by(Block::LANES) {
            prefetch_numbers(weights, (at + AHEAD) * stride + column);
        }
        // Rows of weights end with zeros up to a multiple of sixteen, so there are whole eights.
        for (part, eight) in from.as_chunks::<TALL>().0[..rows.div_ceil(TALL)].iter().enumerate() {
            packed[part * (DEEP + ROOM) + at] = *eight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers that are not round, different at every place.
    fn filled(depth: usize, columns: usize) -> Panels {
        let mut panels = Panels::default();
        let rows: Vec<f32> = (0..depth * columns).map(|at| (at as f32 * 0.7).sin()).collect();
        panels.transpose_rows(&rows, depth, columns);
        panels
    }

    fn at(panels: &Panels, depth: usize, column: usize) -> f32 {
        panels.panel(column / PANEL)[depth * PANEL + column % PANEL]
    }

    /// From the definition: one sum per number, in order, with one rounding per term.
    fn expect(inputs: usize, outputs: usize, rows: usize) {
        let layer = Linear::random(inputs, outputs, 5, 0);
        let weight = |output: usize, input: usize| {
            let (weights, bias) = layer.row(output);
            if input == inputs { bias } else { weights[input] }
        };
        let mut found = Panels::default();
        found.resize(300, 300);
        found.numbers_mut().fill(f32::NAN);
        let input = filled(inputs + 1, rows);
        layer.blocked_sums(&input, &mut found);
        for (output, row) in (0..outputs).flat_map(|output| (0..rows).map(move |row| (output, row)))
        {
            let add = |sum: f32, k| weight(output, k).mul_add(at(&input, k, row), sum);
            assert_eq!(at(&found, output, row), (0..=inputs).fold(0.0, add));
        }
        let sums = filled(outputs, rows);
        layer.blocked_input_gradient(&sums, &mut found);
        for (input, row) in (0..inputs).flat_map(|input| (0..rows).map(move |row| (input, row))) {
            let add = |sum: f32, k| weight(k, input).mul_add(at(&sums, k, row), sum);
            assert_eq!(at(&found, input, row), (0..outputs).fold(0.0, add));
        }
        assert_eq!((found.depth(), found.columns()), (inputs, rows));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn every_number_is_one_sum_in_order(
            inputs in 1usize..90, outputs in 1usize..90, rows in 1usize..80,
        ) {
            expect(inputs, outputs, rows);
        }
    }

    /// Several passes over the inner index, several shares, remainders of everything.
    #[test]
    fn large_products_are_sums_in_order() {
        for (inputs, outputs, rows) in
            [(1, 1, 1), (601, 37, 33), (31, 523, 65), (256, 257, 32), (511, 300, 17)]
        {
            expect(inputs, outputs, rows);
        }
    }
}
