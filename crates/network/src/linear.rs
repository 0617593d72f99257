//! One layer: weights, and the product with a batch.
//!
//! Weights are stored output by output; the bias is the weight of a last input that is always 1,
//! zeros follow up to a multiple of sixteen, and zero outputs up to a multiple of four.

use pulp::{Simd, f32x8};
use rayon::prelude::*;

use super::batch::{Batch, Four, GROUP};
use super::lanes::{Block, InEights, blocks, in_eights, numbers, numbers_mut, sum, zeros};
use rulebound_io::random::{Draws, Purpose, unit};

/// Outputs that the backward pass processes at once.
pub(super) const ROWS: usize = 4;

/// Number of weights below which a second thread costs more than it gains.
const WORTH_A_THREAD: usize = 1 << 16;

/// The weights of a layer.
#[derive(Clone, PartialEq, Debug)]
pub struct Linear {
    inputs: usize,
    outputs: usize,
    weights: Vec<Block>,
}

impl Linear {
    /// All weights zero.
    pub fn zeros(inputs: usize, outputs: usize) -> Self {
        let weights = zeros(outputs.next_multiple_of(ROWS) * blocks(inputs + 1));
        Self { inputs, outputs, weights }
    }

    /// Weights and biases uniform between ±1/√inputs, as PyTorch initialises `Linear`.
    pub fn random(inputs: usize, outputs: usize, seed: u64, layer: u8) -> Self {
        let mut linear = Self::zeros(inputs, outputs);
        let draws = Draws::new(seed, Purpose::Weights(layer));
        let bound = 1.0 / (inputs.max(1) as f64).sqrt();
        for output in 0..outputs {
            for input in 0..=inputs {
                let four = draws.four((input / 4) as u32, output as u32, 0);
                let share = f64::from(unit(four[input % 4]));
                *linear.weight_mut(output, input) = (bound * (2.0 * share - 1.0)) as f32;
            }
        }
        linear
    }

    /// A layer with these weights, output by output, and biases.
    ///
    /// # Panics
    /// If there are not `inputs` weights and one bias per output.
    pub fn from_parts(inputs: usize, outputs: usize, weights: &[f32], biases: &[f32]) -> Self {
        assert!(weights.len() == inputs * outputs && biases.len() == outputs);
        let mut linear = Self::zeros(inputs, outputs);
        for output in 0..outputs {
            for input in 0..inputs {
                *linear.weight_mut(output, input) = weights[output * inputs + input];
            }
            *linear.weight_mut(output, inputs) = biases[output];
        }
        linear
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The weights, output by output.
    pub fn weights(&self) -> impl Iterator<Item = f32> + '_ {
        self.rows().flat_map(|row| numbers(row)[..self.inputs].iter().copied())
    }

    /// The biases.
    pub fn biases(&self) -> impl Iterator<Item = f32> + '_ {
        self.rows().map(|row| numbers(row)[self.inputs])
    }

    /// All numbers as stored: [`Linear::stride`] per output, the bias after the last weight, zeros
    /// everywhere else.
    pub fn numbers(&self) -> &[f32] {
        numbers(&self.weights)
    }

    /// The same, to be changed.
    pub fn numbers_mut(&mut self) -> &mut [f32] {
        numbers_mut(&mut self.weights)
    }

    /// Numbers from one output to the next.
    pub fn stride(inputs: usize) -> usize {
        blocks(inputs + 1) * Block::LANES
    }

    /// The number of stored numbers.
    pub fn numbers_for(inputs: usize, outputs: usize) -> usize {
        outputs.next_multiple_of(ROWS) * Self::stride(inputs)
    }

    /// Blocks per output.
    pub(super) fn blocks(&self) -> usize {
        blocks(self.inputs + 1)
    }

    /// The number of outputs including padding.
    pub(super) fn padded_outputs(&self) -> usize {
        self.outputs.next_multiple_of(ROWS)
    }

    /// Outputs that one thread processes at a time: about 32 shares of a layer, whatever the number
    /// of threads, because the shares determine the order of summation.
    pub(super) fn share(&self) -> usize {
        self.outputs.div_ceil(32).max(32).next_multiple_of(ROWS)
    }

    /// Whether the layer is large enough for more than one thread.
    pub(super) fn is_worth_threads(&self, rows: usize) -> bool {
        self.weights.len() * Block::LANES * rows.div_ceil(GROUP) >= WORTH_A_THREAD
    }

    pub(super) fn stored(&self) -> &[Block] {
        &self.weights
    }

    pub(super) fn weights_mut(&mut self) -> &mut [Block] {
        &mut self.weights
    }

    /// The product with a batch, output by output: `out[output × padded rows + row]`, where rows
    /// are padded to a multiple of four.
    ///
    /// # Panics
    /// If the batch is not as wide as the layer.
    pub(super) fn forward(&self, batch: &Batch, out: &mut Vec<f32>) {
        assert_eq!(batch.blocks(), self.blocks());
        let rows = batch.groups() * GROUP;
        out.resize(self.padded_outputs() * rows, 0.0);
        let (width, share) = (self.blocks(), self.share());
        let run = |(weights, out): (&[Block], &mut [f32])| {
            in_eights(Product { weights, width, cells: batch.cells(), rows, out });
        };
        if self.is_worth_threads(batch.rows()) {
            let shares = self.weights.par_chunks(share * width);
            shares.zip(out.par_chunks_mut(share * rows)).for_each(run);
        } else {
            self.weights.chunks(share * width).zip(out.chunks_mut(share * rows)).for_each(run);
        }
    }

    /// The weights of an output, and its bias.
    pub(super) fn row(&self, output: usize) -> (&[f32], f32) {
        let row = numbers(&self.weights[output * self.blocks()..][..self.blocks()]);
        (&row[..self.inputs], row[self.inputs])
    }

    /// What some neighbouring inputs, the first of which is `first`, add to a sum.
    pub fn part_of_sum(&self, output: usize, first: usize, inputs: &[f32]) -> f64 {
        let (weights, _) = self.row(output);
        let weights = weights[first..].iter().zip(inputs);
        weights.map(|(&weight, &input)| f64::from(weight) * f64::from(input)).sum()
    }

    fn rows(&self) -> impl Iterator<Item = &[Block]> {
        self.weights.chunks_exact(self.blocks()).take(self.outputs)
    }

    pub(super) fn weight_mut(&mut self, output: usize, input: usize) -> &mut f32 {
        let at = output * self.blocks() + input / Block::LANES;
        &mut self.weights[at].0[input % Block::LANES]
    }
}

/// The product of a range of outputs' weights with a batch.
struct Product<'a> {
    weights: &'a [Block],
    width: usize,
    cells: &'a [Four],
    rows: usize,
    out: &'a mut [f32],
}

impl InEights for Product<'_> {
    #[inline(always)]
    fn run<S: Simd<f32s = f32x8>>(self, simd: S) {
        let Self { weights, width, cells, rows, out } = self;
        // Two outputs and four rows: eight sums, enough to hide the latency of one.
        for (pair, out) in weights.chunks_exact(2 * width).zip(out.chunks_exact_mut(2 * rows)) {
            let (first, second) = pair.split_at(width);
            let (first, second) = (eights::<S>(first), eights::<S>(second));
            let (out_first, out_second) = out.split_at_mut(rows);
            let outs = out_first.chunks_exact_mut(GROUP).zip(out_second.chunks_exact_mut(GROUP));
            for (group, (out_first, out_second)) in cells.chunks_exact(width).zip(outs) {
                let mut sums = [[simd.splat_f32s(0.0); GROUP]; 2];
                let pairs = first.chunks_exact(2).zip(second.chunks_exact(2));
                for ((a, b), four) in pairs.zip(group) {
                    let four = eights::<S>(four);
                    for half in 0..2 {
                        for row in 0..GROUP {
                            let x = four[2 * row + half];
                            sums[0][row] = simd.mul_add_f32s(a[half], x, sums[0][row]);
                            sums[1][row] = simd.mul_add_f32s(b[half], x, sums[1][row]);
                        }
                    }
                }
                for row in 0..GROUP {
                    out_first[row] = sum(sums[0][row]);
                    out_second[row] = sum(sums[1][row]);
                }
            }
        }
    }
}

#[inline(always)]
fn eights<S: Simd<f32s = f32x8>>(blocks: &[Block]) -> &[f32x8] {
    S::as_simd_f32s(numbers(blocks)).0
}
