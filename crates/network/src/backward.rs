//! The backward pass over a layer, with the update of its weights inside it.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::batch::{Batch, Four, GROUP};
use super::lanes::{Block, numbers, numbers_mut, prefetch};
use super::linear::Linear;
use super::optimizer::Optimizer;

/// Updates a layer, given its input and the gradient of its sums, output by output. With `below`,
/// also stores the gradient of its input there, one for each share of the outputs.
pub(super) fn update(
    layer: &mut Linear,
    moments: &mut [Linear; 2],
    input: &Batch,
    gradient: &[f32],
    below: Option<&mut Vec<Four>>,
    optimizer: impl Optimizer,
) {
    let (width, share) = (layer.blocks(), layer.share());
    let threads = layer.is_worth_threads(input.rows());
    let (cells, rows) = (input.cells(), input.groups() * GROUP);
    let shares = layer.padded_outputs().div_ceil(share);
    let below = below.map(|below| {
        below.resize(shares * cells.len(), [Block::ZERO; GROUP]);
        below.chunks_mut(cells.len())
    });
    let below = below.into_iter().flatten().map(Some).chain(std::iter::repeat_with(|| None));
    let [first, second] = moments;
    let run = |((((weights, first), second), gradient), below): Share<'_>| {
        let pass = Pass { weights, first, second, width, cells, rows, gradient, below, optimizer };
        Arch::new().dispatch(pass);
    };
    let size = share * width;
    let parts = layer
        .weights_mut()
        .chunks_mut(size)
        .zip(first.weights_mut().chunks_mut(size))
        .zip(second.weights_mut().chunks_mut(size))
        .zip(gradient.chunks(share * rows))
        .zip(below);
    if threads {
        parts.collect::<Vec<_>>().into_par_iter().for_each(run);
    } else {
        parts.for_each(run);
    }
}

/// Weights, both moments, gradients of the sums, and where the gradient of the input goes.
type Share<'a> =
    ((((&'a mut [Block], &'a mut [Block]), &'a mut [Block]), &'a [f32]), Option<&'a mut [Four]>);

/// Adds up the shares of an input's gradient, always in the same order.
pub(super) fn add_up(shares: &mut [Four], size: usize) -> &[Four] {
    let (total, others) = shares.split_at_mut(size);
    Arch::new().dispatch(AddUp { total, others });
    total
}

struct AddUp<'a> {
    total: &'a mut [Four],
    others: &'a [Four],
}

impl WithSimd for AddUp<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for other in self.others.chunks_exact(self.total.len().max(1)) {
            for (total, other) in self.total.iter_mut().zip(other) {
                let (total, _) = S::as_mut_simd_f32s(numbers_mut(total));
                let (other, _) = S::as_simd_f32s(numbers(other));
                for (total, &other) in total.iter_mut().zip(other) {
                    *total = simd.add_f32s(*total, other);
                }
            }
        }
    }
}

/// The backward pass over a range of outputs of a layer.
struct Pass<'a, O> {
    weights: &'a mut [Block],
    first: &'a mut [Block],
    second: &'a mut [Block],
    width: usize,
    cells: &'a [Four],
    rows: usize,
    gradient: &'a [f32],
    below: Option<&'a mut [Four]>,
    optimizer: O,
}

impl<O: Optimizer> WithSimd for Pass<'_, O> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.below {
            Some(_) => self.run::<S, true>(simd),
            None => self.run::<S, false>(simd),
        }
    }
}

/// Outputs that the pass processes at once.
const AT_ONCE: usize = 4;

impl<O: Optimizer> Pass<'_, O> {
    #[inline(always)]
    fn run<S: Simd, const BELOW: bool>(self, simd: S) {
        let Self { weights, first, second, width, cells, rows, gradient, below, optimizer } = self;
        let below = below.unwrap_or_default();
        below.fill([Block::ZERO; GROUP]);
        let size = AT_ONCE * width;
        let parts = weights.chunks_exact_mut(size).zip(first.chunks_exact_mut(size));
        let parts = parts.zip(second.chunks_exact_mut(size));
        for (((w, m), v), gradient) in parts.zip(gradient.chunks_exact(AT_ONCE * rows)) {
            let (w, m, v) = (split(w, width), split(m, width), split(v, width));
            for block in 0..width {
                for output in 0..AT_ONCE {
                    // The same position in the next rows.
                    let next = AT_ONCE * width + block;
                    for row in [&*w[output], &*m[output], &*v[output]] {
                        prefetch(row, next);
                    }
                }
                for part in 0..Block::LANES / S::F32_LANES {
                    let mut own = [simd.splat_f32s(0.0); AT_ONCE];
                    let mut old = [simd.splat_f32s(0.0); AT_ONCE];
                    for output in 0..AT_ONCE {
                        old[output] = *lane::<S>(&mut w[output][block], part);
                    }
                    for group in 0..rows / GROUP {
                        let at = group * width + block;
                        let slopes = &gradient[group * GROUP..];
                        let mut under = [simd.splat_f32s(0.0); GROUP];
                        if BELOW {
                            for row in 0..GROUP {
                                under[row] = *lane::<S>(&mut below[at][row], part);
                            }
                        }
                        for row in 0..GROUP {
                            let (x, _) = S::as_simd_f32s(&cells[at][row].0);
                            for output in 0..AT_ONCE {
                                let slope = simd.splat_f32s(slopes[output * rows + row]);
                                own[output] = simd.mul_add_f32s(slope, x[part], own[output]);
                                if BELOW {
                                    under[row] = simd.mul_add_f32s(slope, old[output], under[row]);
                                }
                            }
                        }
                        if BELOW {
                            for row in 0..GROUP {
                                *lane::<S>(&mut below[at][row], part) = under[row];
                            }
                        }
                    }
                    for output in 0..AT_ONCE {
                        let m = lane::<S>(&mut m[output][block], part);
                        let v = lane::<S>(&mut v[output][block], part);
                        let state = [old[output], *m, *v];
                        let state = optimizer.update(simd, own[output], state);
                        [*lane::<S>(&mut w[output][block], part), *m, *v] = state;
                    }
                }
            }
        }
    }
}

/// One vector of a block.
#[inline(always)]
fn lane<S: Simd>(block: &mut Block, part: usize) -> &mut S::f32s {
    &mut S::as_mut_simd_f32s(&mut block.0).0[part]
}

/// The weights of the outputs.
#[inline(always)]
fn split(all: &mut [Block], width: usize) -> [&mut [Block]; AT_ONCE] {
    let (left, right) = all.split_at_mut(2 * width);
    let (a, b) = left.split_at_mut(width);
    let (c, d) = right.split_at_mut(width);
    [&mut a[..width], &mut b[..width], &mut c[..width], &mut d[..width]]
}
