//! A network: its layers, and the logits of rows.

use super::activation::Activation;
use super::batch::{Batch, GROUP};
use super::linear::Linear;
use super::shape::Shape;
use super::sparse_batch::SparseBatch;
use rulebound_io::features::{FeatureMatrix, FeatureRow};

/// A multi-layer perceptron.
///
/// ```
/// use rulebound_network::{Activation, Network, Shape};
/// let shape = Shape { inputs: 2, hidden: vec![8], outputs: 3 };
/// let network = Network::random(shape, Activation::Relu, 7);
/// let mut logits = [0.0; 6];
/// network.forward_pass().logits(&[0.5, -0.5, 1.0, 2.0], &mut logits);
/// assert!(logits.iter().all(|logit| logit.is_finite()));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    activation: Activation,
    layers: Vec<Linear>,
}

impl Network {
    /// A network with random weights, initialised as in PyTorch.
    pub fn random(shape: Shape, activation: Activation, seed: u64) -> Self {
        let layers = shape.layers().enumerate();
        let layers = layers
            .map(|(layer, (inputs, outputs))| Linear::random(inputs, outputs, seed, layer as u8));
        Self { activation, layers: layers.collect() }
    }

    /// A network of these layers.
    ///
    /// # Panics
    /// If there is no layer, or the inputs of one are not the outputs of the one before.
    pub fn from_layers(activation: Activation, layers: Vec<Linear>) -> Self {
        assert!(!layers.is_empty());
        assert!(layers.windows(2).all(|pair| pair[0].outputs() == pair[1].inputs()));
        Self { activation, layers }
    }

    /// Its sizes.
    pub fn shape(&self) -> Shape {
        let mut hidden: Vec<usize> = self.layers.iter().map(Linear::outputs).collect();
        let outputs = hidden.pop().unwrap_or(0);
        Shape { inputs: self.layers[0].inputs(), hidden, outputs }
    }

    /// The activation function of its hidden layers.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// Its layers, from the inputs on.
    pub fn layers(&self) -> &[Linear] {
        &self.layers
    }

    pub(super) fn layers_mut(&mut self) -> &mut [Linear] {
        &mut self.layers
    }

    /// A forward pass with its own working memory.
    pub fn forward_pass(&self) -> ForwardPass<'_> {
        ForwardPass {
            network: self,
            batch: Batch::default(),
            sparse: SparseBatch::default(),
            next: Batch::default(),
            out: vec![],
        }
    }
}

/// Computes logits; holds the working memory.
#[derive(Debug)]
pub struct ForwardPass<'a> {
    network: &'a Network,
    batch: Batch,
    /// The rows, if they are sparse.
    sparse: SparseBatch,
    next: Batch,
    out: Vec<f32>,
}

impl ForwardPass<'_> {
    /// Rows that pass through the network at once.
    const ROWS: usize = 64;

    /// The logits of rows, row-major; no unit is dropped. The logits of a row do not depend on the
    /// other rows.
    ///
    /// # Panics
    /// If `rows` does not hold whole rows of inputs, or `logits` does not hold as many rows of
    /// outputs.
    pub fn logits(&mut self, rows: &[f32], logits: &mut [f32]) {
        let width = self.network.shape().inputs;
        let count = rows.len() / width.max(1);
        self.batches(count, |row| FeatureRow::Dense(&rows[row * width..][..width]), logits);
    }

    /// The logits of all rows, dense or sparse, row-major; no unit is dropped.
    ///
    /// # Panics
    /// If the rows are not as wide as the network, or `logits` does not hold as many rows of
    /// outputs.
    pub fn logits_of(&mut self, rows: &FeatureMatrix, logits: &mut [f32]) {
        self.batches(rows.rows(), |row| rows.row(row), logits);
    }

    fn batches<'r>(
        &mut self,
        count: usize,
        row: impl Fn(usize) -> FeatureRow<'r>,
        logits: &mut [f32],
    ) {
        let outputs = self.network.shape().outputs.max(1);
        assert_eq!(count, logits.len() / outputs);
        for (index, logits) in logits.chunks_mut(outputs * Self::ROWS).enumerate() {
            let start = index * Self::ROWS;
            self.some((start..start + logits.len() / outputs).map(&row), logits);
        }
    }

    fn some<'r>(
        &mut self,
        rows: impl ExactSizeIterator<Item = FeatureRow<'r>>,
        logits: &mut [f32],
    ) {
        let rows: Vec<FeatureRow<'_>> = rows.collect();
        let (count, width) = (rows.len(), self.network.shape().inputs);
        let is_sparse = SparseBatch::suits(&rows);
        if is_sparse {
            self.sparse.fill(width, &rows);
        } else {
            self.batch.reset(count, width);
            rows.iter().enumerate().for_each(|(row, &cells)| self.batch.fill_row(row, cells));
        }
        let padded = count.next_multiple_of(GROUP);
        for (index, layer) in self.network.layers.iter().enumerate() {
            if is_sparse && index == 0 {
                layer.sparse_sums(&self.sparse, padded, &mut self.out);
            } else {
                layer.forward(&self.batch, &mut self.out);
            }
            let outputs = layer.outputs();
            if index + 1 == self.network.layers.len() {
                for (output, values) in self.out.chunks_exact(padded).take(outputs).enumerate() {
                    for row in 0..count {
                        logits[row * outputs + output] = values[row];
                    }
                }
            } else {
                self.next.reset(count, outputs);
                for (output, sums) in self.out.chunks_exact(padded).take(outputs).enumerate() {
                    for (row, &sum) in sums[..count].iter().enumerate() {
                        let (value, _) = self.network.activation.value_and_slope(sum);
                        self.next.set(row, output, value);
                    }
                }
                std::mem::swap(&mut self.batch, &mut self.next);
            }
        }
    }
}
