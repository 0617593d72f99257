//! The training step: forward with dropout, backward with the update inside it.

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::activation::Activation;
use super::adam::Optimizer;
use super::batch::{Batch, Four, GROUP};
use super::lanes::F8;
use super::linear::{Linear, ROWS};
use super::perceptron::Network;
use crate::random::{Draws, Purpose};

/// A network in training: its weights and their moments.
#[derive(Clone, PartialEq, Debug)]
pub struct Trainee {
    /// The network as it is now.
    pub network: Network,
    /// For each layer, the running means of gradients and of their squares, in its shape.
    pub moments: Vec<[Linear; 2]>,
}

impl Trainee {
    /// A network whose training begins.
    pub fn new(network: Network) -> Self {
        let zeros = |layer: &Linear| Linear::zeros(layer.inputs(), layer.outputs());
        let moments = network.layers().iter().map(|layer| [zeros(layer), zeros(layer)]).collect();
        Self { network, moments }
    }
}

/// Which hidden units a step leaves out: each with probability `share`, and those that stay count
/// `1 / (1 − share)` times.
///
/// Unit `u` of row `r` after hidden layer `l` is left out iff number `u` of
/// `Draws::in_epoch(seed, Purpose::Dropout(l), epoch)` in row `r` of the step, as a fraction of
/// 2³², is below `share`.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    /// The share that is left out, from 0 to below 1.
    pub share: f64,
    /// The seed of the run.
    pub seed: u64,
    /// The epoch, from 0.
    pub epoch: u32,
    /// The step in the epoch, from 0.
    pub step: u32,
}

impl Dropout {
    /// The factors of four units of a row after hidden layer `layer`.
    #[inline(always)]
    fn factors(&self, draws: &Draws, quad: u32, row: u32) -> [f32; 4] {
        let (below, scale) = (self.below(), (1.0 / (1.0 - self.share)) as f32);
        let four = draws.four(quad, row, self.step);
        let mut factors = [0.0; 4];
        for unit in 0..4 {
            factors[unit] = if u64::from(four[unit]) < below { 0.0 } else { scale };
        }
        factors
    }

    fn below(&self) -> u64 {
        (self.share * 4_294_967_296.0) as u64
    }
}

/// The memory of steps.
#[derive(Debug, Default)]
pub struct Workspace {
    layers: Vec<LayerSpace>,
    rows: usize,
}

#[derive(Debug, Default)]
struct LayerSpace {
    /// What the layer is given.
    input: Batch,
    /// Its sums on the way forward, their gradient on the way back: output by output.
    sums: Vec<f32>,
    /// The slope of each sum's activation, with the factor of dropout.
    slopes: Vec<f32>,
    /// The gradient of the input, one for each share of the outputs.
    input_gradients: Vec<Four>,
}

impl Workspace {
    /// The logits of a batch, row-major; `rows` are rows of inputs.
    ///
    /// # Panics
    /// If a row is not as wide as the network, or `logits` has not a row of outputs for each.
    pub fn forward<'r>(
        &mut self,
        network: &Network,
        rows: impl ExactSizeIterator<Item = &'r [f32]>,
        dropout: Option<Dropout>,
        logits: &mut [f32],
    ) {
        self.rows = rows.len();
        self.layers.resize_with(network.layers().len(), LayerSpace::default);
        let first = &mut self.layers[0].input;
        first.reset(rows.len(), network.layers()[0].inputs());
        rows.enumerate().for_each(|(row, values)| first.fill_row(row, values));
        let padded = self.rows.next_multiple_of(GROUP);
        for (index, layer) in network.layers().iter().enumerate() {
            let (before, after) = self.layers.split_at_mut(index + 1);
            let space = &mut before[index];
            layer.forward(&space.input, &mut space.sums);
            let outputs = layer.outputs();
            match after.first_mut() {
                None => {
                    assert_eq!(logits.len(), self.rows * outputs);
                    for (output, sums) in space.sums.chunks_exact(padded).take(outputs).enumerate()
                    {
                        for row in 0..self.rows {
                            logits[row * outputs + output] = sums[row];
                        }
                    }
                }
                Some(next) => {
                    next.input.reset(self.rows, outputs);
                    activate(space, network.activation(), index, dropout, &mut next.input);
                }
            }
        }
    }

    /// Updates the network that the last [`forward`](Self::forward) went through, given the
    /// gradient of the loss with respect to its logits, row-major.
    ///
    /// # Panics
    /// If the network or the gradient is not of that shape.
    pub fn backward(&mut self, trainee: &mut Trainee, gradient: &[f32], optimizer: impl Optimizer) {
        let padded = self.rows.next_multiple_of(GROUP);
        let outputs = trainee.network.layers().last().map_or(0, Linear::outputs);
        assert!(self.layers.len() == trainee.moments.len() && gradient.len() == self.rows * outputs);
        if let Some(last) = self.layers.last_mut() {
            last.sums.fill(0.0);
            for (output, sums) in last.sums.chunks_exact_mut(padded).take(outputs).enumerate() {
                for row in 0..self.rows {
                    sums[row] = gradient[row * outputs + output];
                }
            }
        }
        let layers = trainee.network.layers_mut().iter_mut().zip(&mut trainee.moments);
        for (index, (layer, moments)) in layers.enumerate().rev() {
            let (before, after) = self.layers.split_at_mut(index);
            let space = &mut after[0];
            update(layer, moments, space, padded, index > 0, optimizer);
            if let Some(below) = before.last_mut() {
                gather(space, layer.inputs(), padded, below);
            }
        }
    }
}

/// Sums to the next layer's inputs, with their slopes.
fn activate(
    space: &mut LayerSpace,
    activation: Activation,
    layer: usize,
    dropout: Option<Dropout>,
    next: &mut Batch,
) {
    let (rows, units) = (next.rows(), next.width());
    let padded = rows.next_multiple_of(GROUP);
    space.slopes.clear();
    space.slopes.resize(space.sums.len(), 0.0);
    let dropout = dropout.filter(|dropout| dropout.share > 0.0).map(|dropout| {
        let purpose = Purpose::Dropout(layer as u8);
        (dropout, Draws::in_epoch(dropout.seed, purpose, dropout.epoch))
    });
    for row in 0..rows {
        for quad in 0..units.div_ceil(4) {
            let factors = match &dropout {
                Some((dropout, draws)) => dropout.factors(draws, quad as u32, row as u32),
                None => [1.0; 4],
            };
            for (unit, factor) in (quad * 4..units).zip(factors) {
                let at = unit * padded + row;
                let (value, slope) = activation.value_and_slope(space.sums[at]);
                next.set(row, unit, value * factor);
                space.slopes[at] = slope * factor;
            }
        }
    }
}

/// Updates a layer; with `below`, also leaves the gradient of its input, share by share.
fn update(
    layer: &mut Linear,
    moments: &mut [Linear; 2],
    space: &mut LayerSpace,
    rows: usize,
    below: bool,
    optimizer: impl Optimizer,
) {
    let (width, share, threads) = (layer.eights(), layer.share(), layer.is_worth_threads(rows));
    let shares = layer.padded_outputs().div_ceil(share);
    let cells = space.input.cells();
    space.input_gradients.resize(if below { shares * cells.len() } else { 0 }, [F8::ZERO; GROUP]);
    let [first, second] = moments;
    let weights = layer.eight_weights_mut();
    let [first, second] = [first.eight_weights_mut(), second.eight_weights_mut()];
    let run = |((((weights, first), second), sums), below): Share<'_>| {
        let pass =
            Pass { weights, first, second, width, cells, rows, gradient: sums, below, optimizer };
        Arch::new().dispatch(pass);
    };
    let size = share * width;
    let below = space.input_gradients.chunks_mut(cells.len().max(1));
    let below = below.map(Some).chain(std::iter::repeat_with(|| None));
    let parts = weights
        .chunks_mut(size)
        .zip(first.chunks_mut(size))
        .zip(second.chunks_mut(size))
        .zip(space.sums.chunks(share * rows))
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

/// Adds the shares of the input's gradient up, always in the same order, and passes the slopes of
/// the layer below.
fn gather(space: &mut LayerSpace, units: usize, padded: usize, below: &mut LayerSpace) {
    let cells = space.input.cells().len();
    let (total, others) = space.input_gradients.split_at_mut(cells);
    Arch::new().dispatch(AddUp { total, others });
    let width = space.input.eights();
    below.sums.fill(0.0);
    for row in 0..padded {
        let group = &total[row / GROUP * width..][..width];
        for unit in 0..units {
            let at = unit * padded + row;
            let gradient = group[unit / F8::LANES][row % GROUP].0[unit % F8::LANES];
            below.sums[at] = gradient * below.slopes[at];
        }
    }
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
