//! Layers on large batches: products of matrices, gradients stored, updates afterwards.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::lanes::{Block, blocks, numbers, numbers_mut, zeros};
use super::linear::Linear;
use super::optimizer::Optimizer;
use super::product::{Left, multiply, transpose};

/// Numbers that one thread updates at a time.
const SHARE: usize = 1 << 14;

/// One number per unit and row of a batch, unit by unit; after the last row there are zeros up to a
/// multiple of sixteen.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Signals {
    units: usize,
    rows: usize,
    numbers: Vec<f32>,
}

impl Signals {
    /// Resizes; what was there is lost, and all numbers are 0.
    pub fn reset(&mut self, units: usize, rows: usize) {
        (self.units, self.rows) = (units, rows);
        self.numbers.clear();
        self.numbers.resize(units * self.stride(), 0.0);
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Numbers from one unit to the next.
    pub fn stride(&self) -> usize {
        self.rows.next_multiple_of(Block::LANES)
    }

    /// All numbers.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// All numbers.
    pub fn numbers_mut(&mut self) -> &mut [f32] {
        &mut self.numbers
    }

    /// The numbers of neighbouring units.
    pub fn part(&self, first: usize, units: usize) -> &[f32] {
        &self.numbers[first * self.stride()..][..units * self.stride()]
    }

    /// The numbers of neighbouring units.
    pub fn part_mut(&mut self, first: usize, units: usize) -> &mut [f32] {
        let stride = self.stride();
        &mut self.numbers[first * stride..][..units * stride]
    }

    /// Sets the rows of a unit to 1: the input whose weights are the biases.
    pub fn set_ones(&mut self, unit: usize) {
        let (stride, rows) = (self.stride(), self.rows);
        self.numbers[unit * stride..][..rows].fill(1.0);
    }

    /// Copies rows of inputs in, the first of them to unit `first`.
    pub fn fill_rows<'r>(&mut self, first: usize, rows: impl Iterator<Item = &'r [f32]>) {
        let stride = self.stride();
        for (row, inputs) in rows.enumerate() {
            let cells = self.numbers[first * stride + row..].iter_mut().step_by(stride);
            cells.zip(inputs).for_each(|(cell, &input)| *cell = input);
        }
    }
}

/// The gradient of a layer's weights and biases, as they are stored, and memory to compute it.
#[derive(Clone, Debug)]
pub struct Gradient {
    numbers: Vec<Block>,
    input: Vec<Block>,
    is_empty: bool,
}

impl Gradient {
    /// No gradient yet.
    pub fn new(layer: &Linear) -> Self {
        Self { numbers: zeros(layer.outputs() * layer.blocks()), input: vec![], is_empty: true }
    }

    /// Adds the gradient of a batch: `input` has one unit more than the layer has inputs, all ones.
    pub fn add(&mut self, layer: &Linear, input: &Signals, sums: &Signals) {
        let (rows, width) = (input.rows, layer.blocks());
        self.input.clear();
        self.input.resize(rows * width, Block::ZERO);
        let by_row = numbers_mut(&mut self.input);
        let stride = width * Block::LANES;
        transpose(&input.numbers, layer.inputs() + 1, rows, input.stride(), by_row, stride);
        let left = Left::new(&sums.numbers, layer.outputs(), rows, sums.stride());
        multiply(left, by_row, stride, numbers_mut(&mut self.numbers), !self.is_empty);
        self.is_empty = false;
    }

    /// The gradient, as [`Linear::numbers`] has the weights.
    /// The numbers, layer by layer as they are stored.
    pub fn numbers(&self) -> &[f32] {
        numbers(&self.numbers)
    }

    /// Updates the layer and forgets the gradient; a layer without one stays as it is.
    pub fn apply(
        &mut self,
        layer: &mut Linear,
        moments: &mut [Linear; 2],
        optimizer: impl Optimizer,
    ) {
        if std::mem::replace(&mut self.is_empty, true) {
            return;
        }
        let count = self.numbers.len() * Block::LANES;
        let [first, second] = moments;
        let parts = numbers(&self.numbers)
            .par_chunks(SHARE)
            .zip(layer.numbers_mut()[..count].par_chunks_mut(SHARE))
            .zip(first.numbers_mut()[..count].par_chunks_mut(SHARE))
            .zip(second.numbers_mut()[..count].par_chunks_mut(SHARE));
        parts.for_each(|(((gradient, weights), first), second)| {
            Arch::new().dispatch(Update { gradient, weights, first, second, optimizer });
        });
    }
}

struct Update<'a, O> {
    gradient: &'a [f32],
    weights: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    optimizer: O,
}

impl<O: Optimizer> WithSimd for Update<'_, O> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Whole blocks of sixteen, so no vector is left over.
        let (gradient, _) = S::as_simd_f32s(self.gradient);
        let (weights, _) = S::as_mut_simd_f32s(self.weights);
        let (first, _) = S::as_mut_simd_f32s(self.first);
        let (second, _) = S::as_mut_simd_f32s(self.second);
        let moments = first.iter_mut().zip(second);
        for ((&gradient, weight), (first, second)) in gradient.iter().zip(weights).zip(moments) {
            let state = [*weight, *first, *second];
            [*weight, *first, *second] = self.optimizer.update(simd, gradient, state);
        }
    }
}

impl Linear {
    /// The sums of a batch. `input` has one unit more than the layer has inputs, all ones.
    pub fn sums(&self, input: &Signals, sums: &mut Signals) {
        assert_eq!(input.units, self.inputs() + 1);
        sums.reset(self.outputs(), input.rows);
        let stride = blocks(self.inputs() + 1) * Block::LANES;
        let left = Left::new(self.numbers(), self.outputs(), self.inputs() + 1, stride);
        multiply(left, &input.numbers, input.stride(), &mut sums.numbers, false);
    }

    /// Adds the gradient of the first `units` inputs, given that of the sums, to `below`.
    pub fn add_input_gradient(&self, sums: &Signals, units: usize, below: &mut [f32]) {
        assert!(sums.units == self.outputs() && units <= self.inputs());
        let stride = blocks(self.inputs() + 1) * Block::LANES;
        let left = Left::transposed(self.numbers(), units, self.outputs(), stride);
        multiply(left, &sums.numbers, sums.stride(), below, true);
    }
}
