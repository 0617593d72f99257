//! The backward pass over a layer, with the update of its weights inside it.

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::adam::Optimizer;
use super::batch::{Batch, Four, GROUP};
use super::lanes::F8;
use super::linear::{Linear, ROWS};

/// Updates a layer, given its input and the gradient of its sums, output by output. With `below`,
/// also leaves the gradient of its input there, one for each share of the outputs.
pub(super) fn update(
    layer: &mut Linear,
    moments: &mut [Linear; 2],
    input: &Batch,
    gradient: &[f32],
    below: Option<&mut Vec<Four>>,
    optimizer: impl Optimizer,
) {
    let (width, share) = (layer.eights(), layer.share());
    let threads = layer.is_worth_threads(input.rows());
    let (cells, rows) = (input.cells(), input.groups() * GROUP);
    let shares = layer.padded_outputs().div_ceil(share);
    let below = below.map(|below| {
        below.resize(shares * cells.len(), [F8::ZERO; GROUP]);
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
        .eight_weights_mut()
        .chunks_mut(size)
        .zip(first.eight_weights_mut().chunks_mut(size))
        .zip(second.eight_weights_mut().chunks_mut(size))
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
    ((((&'a mut [F8], &'a mut [F8]), &'a mut [F8]), &'a [f32]), Option<&'a mut [Four]>);

/// Adds the shares of an input's gradient up, always in the same order.
pub(super) fn add_up(shares: &mut [Four], size: usize) -> &[Four] {
    let (total, others) = shares.split_at_mut(size);
    Arch::new().dispatch(AddUp { total, others });
    total
}

struct AddUp<'a> {
    total: &'a mut [Four],
    others: &'a [Four],
}

impl NullaryFnOnce for AddUp<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for other in self.others.chunks_exact(self.total.len().max(1)) {
            for (total, other) in self.total.iter_mut().zip(other) {
                for row in 0..GROUP {
                    for lane in 0..F8::LANES {
                        total[row].0[lane] += other[row].0[lane];
                    }
                }
            }
        }
    }
}

/// The backward pass over some outputs of a layer.
struct Pass<'a, O> {
    weights: &'a mut [F8],
    first: &'a mut [F8],
    second: &'a mut [F8],
    width: usize,
    cells: &'a [Four],
    rows: usize,
    gradient: &'a [f32],
    below: Option<&'a mut [Four]>,
    optimizer: O,
}

impl<O: Optimizer> NullaryFnOnce for Pass<'_, O> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { weights, first, second, width, cells, rows, gradient, below, optimizer } = self;
        let size = ROWS * width;
        let parts = weights.chunks_exact_mut(size).zip(first.chunks_exact_mut(size));
        let parts = parts.zip(second.chunks_exact_mut(size)).zip(gradient.chunks_exact(ROWS * rows));
        match below {
            Some(below) => {
                below.fill([F8::ZERO; GROUP]);
                for (((weights, first), second), gradient) in parts {
                    let four = [weights, first, second];
                    four_outputs::<true, O>(four, width, cells, rows, gradient, below, optimizer);
                }
            }
            None => {
                for (((weights, first), second), gradient) in parts {
                    let four = [weights, first, second];
                    four_outputs::<false, O>(four, width, cells, rows, gradient, &mut [], optimizer);
                }
            }
        }
    }
}

/// Four outputs: their weights' gradients, the gradient of the input, the update.
#[inline(always)]
fn four_outputs<const BELOW: bool, O: Optimizer>(
    [weights, first, second]: [&mut [F8]; 3],
    width: usize,
    cells: &[Four],
    rows: usize,
    gradient: &[f32],
    below: &mut [Four],
    optimizer: O,
) {
    let weights = quarters(weights, width);
    let first = quarters(first, width);
    let second = quarters(second, width);
    for eight in 0..width {
        let old = [weights[0][eight], weights[1][eight], weights[2][eight], weights[3][eight]];
        let mut own = [F8::ZERO; ROWS];
        for group in 0..rows / GROUP {
            let four = &cells[group * width + eight];
            let mut none = [F8::ZERO; GROUP];
            let under = if BELOW { &mut below[group * width + eight] } else { &mut none };
            for row in 0..GROUP {
                for output in 0..ROWS {
                    let slope = F8::splat(gradient[output * rows + group * GROUP + row]);
                    own[output] = slope.mul_add(four[row], own[output]);
                    if BELOW {
                        under[row] = slope.mul_add(old[output], under[row]);
                    }
                }
            }
        }
        for output in 0..ROWS {
            let (weight, first) = (&mut weights[output][eight], &mut first[output][eight]);
            optimizer.update(own[output], weight, first, &mut second[output][eight]);
        }
    }
}

#[inline(always)]
fn quarters(all: &mut [F8], width: usize) -> [&mut [F8]; ROWS] {
    let (left, right) = all.split_at_mut(2 * width);
    let (a, b) = left.split_at_mut(width);
    let (c, d) = right.split_at_mut(width);
    [&mut a[..width], &mut b[..width], &mut c[..width], &mut d[..width]]
}
