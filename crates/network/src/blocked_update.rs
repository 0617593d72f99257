//! The gradient of weights over a large batch, with the update inside it.
//!
//! A tile of the gradient is summed up over all rows of the batch in registers, and its weights are
//! updated at once: the gradient is never stored.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::lanes::{Block, numbers_mut, prefetch_numbers};
use super::linear::Linear;
use super::optimizer::Optimizer;
use super::panels::{PANEL, Panels};
use super::tile::{self, Apart, TALL, Tile};

/// Outputs per share of the work.
const SHARE: usize = 32;

/// Numbers of the input that are visited again for the next outputs: they stay in the second-level
/// cache.
const NEAR: usize = 1 << 17;

/// Multiplications below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 20;

/// Updates a layer. `input` has a row of inputs per row of the batch, with a last one that is 1;
/// `gradient` is that of the sums, unit by unit.
pub(super) fn update(
    layer: &mut Linear,
    moments: &mut [Linear; 2],
    input: &Panels,
    gradient: &Panels,
    optimizer: impl Optimizer,
) {
    assert!(input.columns() == layer.inputs() + 1 && gradient.depth() == layer.outputs());
    assert_eq!(input.depth(), gradient.columns());
    let (stride, outputs) = (layer.blocks() * Block::LANES, layer.outputs());
    let size = SHARE * layer.blocks();
    let [first, second] = moments;
    let weights = layer.weights_mut().chunks_mut(size);
    let parts = weights
        .zip(first.weights_mut().chunks_mut(size))
        .zip(second.weights_mut().chunks_mut(size))
        .enumerate();
    let run = |(share, ((weights, first), second)): (usize, State<'_>)| {
        let outputs = share * SHARE..outputs.min((share + 1) * SHARE);
        let state = [weights, first, second].map(numbers_mut);
        Arch::new().dispatch(Update { outputs, stride, state, input, gradient, optimizer });
    };
    if outputs * stride * input.depth() < WORTH_A_THREAD {
        parts.for_each(run);
    } else {
        parts.collect::<Vec<_>>().into_par_iter().with_max_len(1).for_each(run);
    }
}

/// Weights and both moments.
type State<'a> = ((&'a mut [Block], &'a mut [Block]), &'a mut [Block]);

struct Update<'a, O> {
    outputs: std::ops::Range<usize>,
    stride: usize,
    /// Of these outputs.
    state: [&'a mut [f32]; 3],
    input: &'a Panels,
    gradient: &'a Panels,
    optimizer: O,
}

impl<O: Optimizer> WithSimd for Update<'_, O> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { outputs, stride, state: [w, m, v], input, gradient, optimizer } = self;
        let group = (NEAR / (input.depth() * PANEL)).max(1);
        for panels in (0..input.count()).step_by(group) {
            for first in outputs.clone().step_by(TALL) {
                let rows = TALL.min(outputs.end - first);
                let start = (first - outputs.start) * stride;
                for panel in panels..input.count().min(panels + group) {
                    let column = panel * PANEL;
                    let width = PANEL.min(stride - column);
                    for row in 0..rows {
                        // What is needed two tiles later.
                        let next = start + row * stride + column + 2 * PANEL;
                        for numbers in [&*w, &*m, &*v] {
                            prefetch_numbers(numbers, next);
                            prefetch_numbers(numbers, next + Block::LANES);
                        }
                    }
                    let tile = sum(simd, input, gradient, panel, first, rows, width);
                    for (row, own) in tile.iter().enumerate().take(rows) {
                        let at = start + row * stride + column;
                        let (own, _) = S::as_simd_f32s(&own[..width]);
                        let (w, _) = S::as_mut_simd_f32s(&mut w[at..at + width]);
                        let (m, _) = S::as_mut_simd_f32s(&mut m[at..at + width]);
                        let (v, _) = S::as_mut_simd_f32s(&mut v[at..at + width]);
                        for (((&own, w), m), v) in own.iter().zip(w).zip(m).zip(v) {
                            [*w, *m, *v] = optimizer.update(simd, own, [*w, *m, *v]);
                        }
                    }
                }
            }
        }
    }
}

/// The gradient of some outputs' weights of the inputs in a panel.
#[inline(always)]
fn sum<S: Simd>(
    simd: S,
    input: &Panels,
    gradient: &Panels,
    panel: usize,
    first: usize,
    rows: usize,
    width: usize,
) -> Tile {
    let mut tile: Tile = [[0.0; PANEL]; TALL];
    let right = input.panel(panel).as_chunks::<PANEL>().0;
    for (part, right) in right.chunks(PANEL).enumerate() {
        let numbers = gradient.panel(part);
        // Past the last row it is computed again, and not used.
        let of = |row: usize| &numbers[(first + row.min(rows - 1)) * PANEL..][..right.len()];
        tile::add(simd, &mut tile, Apart(std::array::from_fn(of)), right, width);
    }
    tile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adam, Record};

    fn number(place: usize) -> f32 {
        (place as f32 * 1.3).cos()
    }

    /// The gradient is one sum per weight in order of the rows, and Adam gets it.
    #[test]
    fn updates_are_those_of_gradients_from_the_definition() {
        for (inputs, outputs, rows) in
            [(1, 1, 1), (15, 3, 31), (16, 8, 32), (47, 33, 33), (70, 41, 100), (600, 70, 300)]
        {
            let input = |row: usize, unit| match unit == inputs {
                true => 1.0,
                false => number(row * inputs + unit),
            };
            let (mut by_row, mut sums) = (Panels::default(), Panels::default());
            by_row.reset(rows, inputs + 1);
            for row in 0..rows {
                (0..=inputs).for_each(|unit| by_row.set(row, unit, input(row, unit)));
            }
            let slopes: Vec<f32> = (0..rows * outputs).map(|at| number(at + 7)).collect();
            sums.transpose_rows(&slopes, outputs, rows);
            let own = |output: usize, unit: usize| {
                let add = |sum: f32, row: usize| {
                    slopes[row * outputs + output].mul_add(input(row, unit), sum)
                };
                (0..rows).fold(0.0, add)
            };
            let start = Linear::random(inputs, outputs, 3, 0);
            let zeros = || Linear::zeros(inputs, outputs);
            let (mut layer, mut moments) = (start.clone(), [zeros(), zeros()]);
            update(&mut layer, &mut moments, &by_row, &sums, Record);
            assert_eq!(layer, start);
            let mut expected = zeros();
            for output in 0..outputs {
                (0..=inputs)
                    .for_each(|unit| *expected.weight_mut(output, unit) = own(output, unit));
            }
            assert_eq!(moments[0], expected);
            moments = [zeros(), zeros()];
            update(&mut layer, &mut moments, &by_row, &sums, Adam::step(1, 0.25, 0.0));
            let rows = start.weights().collect::<Vec<_>>();
            let rows = rows.chunks(inputs).zip(start.biases());
            let before: Vec<f32> =
                rows.flat_map(|(row, bias)| row.iter().copied().chain([bias])).collect();
            // The first step of Adam goes by the sign of the gradient alone.
            for output in 0..outputs {
                for unit in 0..=inputs {
                    let moved =
                        *layer.weight_mut(output, unit) - before[output * (inputs + 1) + unit];
                    assert!((moved + 0.25 * own(output, unit).signum()).abs() < 1e-3);
                }
            }
        }
    }
}
