//! The training step: forward with dropout, backward with the update inside it.

use super::activation::Activation;
use super::backward::{add_up, update};
use super::batch::{Batch, Four, GROUP};
use super::blocked_step::BlockedSpace;
use super::dropout::Dropout;
use super::first_layer::FirstLayer;
use super::lanes::Block;
use super::linear::Linear;
use super::optimizer::Optimizer;
use super::perceptron::Network;
use super::sparse_layer::SparseUpdate;
use super::trainee::Trainee;
use rulebound_io::features::FeatureRow;

/// Rows from which a step is made of blocked products: below, it is faster to visit every weight
/// once.
const BLOCKED: usize = 24;

/// What a run on the CPU with this batch size calls the arithmetic of its steps; none if all of them
/// are the fused steps that there were first. Sums are taken in another order in each, so a run does
/// not change from one to the other. A change that changes bits needs another name.
pub fn kernels(batch: usize) -> Option<&'static str> {
    (batch >= BLOCKED).then_some("blocked products 1")
}

/// The working memory of training steps.
#[derive(Debug)]
pub struct Workspace {
    layers: Vec<LayerSpace>,
    rows: usize,
    /// For batches of at least `blocked_from` rows.
    blocked: BlockedSpace,
    first: FirstLayer,
    blocked_from: usize,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::blocked_from(BLOCKED)
    }
}

#[derive(Debug, Default)]
struct LayerSpace {
    /// The input of the layer.
    input: Batch,
    /// Its sums on the way forward, their gradient on the way back: output by output.
    sums: Vec<f32>,
    /// The slope of the activation at each sum, times the dropout factor.
    slopes: Vec<f32>,
    /// The gradient of the input, one for each share of the outputs.
    input_gradients: Vec<Four>,
}

impl Workspace {
    /// Memory for steps that update the weights of sparse columns in this way.
    pub fn new(update: SparseUpdate) -> Self {
        let first = FirstLayer::new(update);
        Self { first, ..Self::default() }
    }

    /// Memory for steps that are blocked from this many rows on.
    pub fn blocked_from(rows: usize) -> Self {
        let (blocked, first) = (BlockedSpace::default(), FirstLayer::default());
        Self { layers: Vec::new(), rows: 0, blocked, blocked_from: rows, first }
    }

    /// The logits of a batch, row-major; `rows` are rows of inputs.
    ///
    /// # Panics
    /// If a row is not as wide as the network, or `logits` does not have a row of outputs for each.
    pub fn forward<'r, R: Into<FeatureRow<'r>>>(
        &mut self,
        network: &Network,
        rows: impl ExactSizeIterator<Item = R>,
        dropout: Option<Dropout>,
        logits: &mut [f32],
    ) {
        let rows: Vec<FeatureRow<'_>> = rows.map(Into::into).collect();
        let width = network.layers()[0].inputs();
        self.rows = rows.len();
        let is_sparse = self.first.take(width, &rows);
        if self.rows >= self.blocked_from {
            return self.blocked.forward(network, &self.first, &rows, dropout, logits);
        }
        self.layers.resize_with(network.layers().len(), LayerSpace::default);
        if !is_sparse {
            let input = &mut self.layers[0].input;
            input.reset(rows.len(), width);
            rows.iter().enumerate().for_each(|(row, &values)| input.fill_row(row, values));
        }
        let padded = self.rows.next_multiple_of(GROUP);
        for (index, layer) in network.layers().iter().enumerate() {
            let (before, after) = self.layers.split_at_mut(index + 1);
            let space = &mut before[index];
            match &self.first.sparse {
                Some(rows) if index == 0 => layer.sparse_sums(rows, padded, &mut space.sums),
                _ => layer.forward(&space.input, &mut space.sums),
            }
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
    /// If the network or the gradient does not have that shape.
    pub fn backward(&mut self, trainee: &mut Trainee, gradient: &[f32], optimizer: impl Optimizer) {
        if self.rows >= self.blocked_from {
            return self.blocked.backward(trainee, &mut self.first, gradient, optimizer);
        }
        let padded = self.rows.next_multiple_of(GROUP);
        let outputs = trainee.network.layers().last().map_or(0, Linear::outputs);
        assert!(
            self.layers.len() == trainee.moments.len() && gradient.len() == self.rows * outputs
        );
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
            let LayerSpace { input, sums, input_gradients, .. } = &mut after[0];
            let below = before.last_mut();
            if let (0, Some(rows)) = (index, &mut self.first.sparse) {
                rows.index();
                let gradient = |output: usize, row: usize| sums[output * padded + row];
                layer.sparse_update(moments, rows, gradient, (self.first.update, optimizer));
                continue;
            }
            let wanted = below.is_some().then_some(&mut *input_gradients);
            update(layer, moments, input, sums, wanted, optimizer);
            if let Some(below) = below {
                let total = add_up(input_gradients, input.cells().len());
                descend(total, input.blocks(), layer.inputs(), padded, below);
            }
        }
    }
}

/// Turns sums into the next layer's inputs, with their slopes.
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
    let dropout = dropout.filter(|dropout| dropout.rate > 0.0);
    let dropout = dropout.map(|dropout| dropout.layer(layer as u8));
    for row in 0..rows {
        for quad in 0..units.div_ceil(4) {
            let factors = match &dropout {
                Some(dropout) => dropout.factors(quad as u32, row as u32),
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

/// The gradient of a layer's inputs through the activations they came from: the gradient of the
/// sums of the layer below.
fn descend(total: &[Four], width: usize, units: usize, padded: usize, below: &mut LayerSpace) {
    below.sums.fill(0.0);
    for row in 0..padded {
        let group = &total[row / GROUP * width..][..width];
        for unit in 0..units {
            let at = unit * padded + row;
            let gradient = group[unit / Block::LANES][row % GROUP].0[unit % Block::LANES];
            below.sums[at] = gradient * below.slopes[at];
        }
    }
}
