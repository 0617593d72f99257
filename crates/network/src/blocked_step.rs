//! The training step for large batches: products of matrices.
//!
//! Numbers of a batch are in panels of 32 rows, unit by unit, so that the sums of a layer have the
//! layout of the next one's inputs; the gradient of weights reads the inputs row by row, so they are
//! transposed once.

use pulp::{Arch, Simd, WithSimd};

use super::activation::Activation;
use super::blocked_update::update;
use super::dropout::{Dropout, LayerDropout};
use super::first_layer::FirstLayer;
use super::optimizer::Optimizer;
use super::panels::{PANEL, Panels};
use super::perceptron::Network;
use super::trainee::Trainee;
use rulebound_io::features::FeatureRow;

/// The working memory of steps.
#[derive(Debug, Default)]
pub(super) struct BlockedSpace {
    layers: Vec<LayerSpace>,
    /// The gradient of the inputs of a layer.
    below: Panels,
    /// The sums of the first layer, if the rows are sparse.
    sparse_sums: Vec<f32>,
    rows: usize,
}

#[derive(Debug, Default)]
struct LayerSpace {
    /// The inputs and a 1, row by row.
    by_row: Panels,
    /// The same, unit by unit.
    by_unit: Panels,
    /// Unit by unit: the sums, then the slopes of the activation there times the dropout factors,
    /// then the gradient of the sums.
    sums: Panels,
}

impl BlockedSpace {
    /// The logits of a batch, row-major.
    pub(super) fn forward(
        &mut self,
        network: &Network,
        first: &FirstLayer,
        rows: &[FeatureRow<'_>],
        dropout: Option<Dropout>,
        logits: &mut [f32],
    ) {
        self.rows = rows.len();
        self.layers.resize_with(network.layers().len(), LayerSpace::default);
        if first.sparse.is_none() {
            self.layers[0].fill(rows, network.layers()[0].inputs());
        }
        let dropout = dropout.filter(|dropout| dropout.rate > 0.0);
        for (index, layer) in network.layers().iter().enumerate() {
            let (before, after) = self.layers.split_at_mut(index + 1);
            let space = &mut before[index];
            match &first.sparse {
                Some(rows) if index == 0 => {
                    let stride = rows.rows().next_multiple_of(PANEL);
                    layer.sparse_sums(rows, stride, &mut self.sparse_sums);
                    space.sums.copy_units(&self.sparse_sums, layer.outputs(), rows.rows());
                }
                _ => layer.blocked_sums(&space.by_unit, &mut space.sums),
            }
            match after.first_mut() {
                None => space.sums.write_rows(logits),
                Some(next) => {
                    let dropout = dropout.map(|dropout| dropout.layer(index as u8));
                    activate(&mut space.sums, network.activation(), dropout, &mut next.by_unit);
                    next.by_row.transpose(&next.by_unit);
                }
            }
        }
    }

    /// Updates the network, given the gradient of the loss with respect to the logits, row-major.
    pub(super) fn backward(
        &mut self,
        trainee: &mut Trainee,
        first: &mut FirstLayer,
        gradient: &[f32],
        optimizer: impl Optimizer,
    ) {
        assert_eq!(self.layers.len(), trainee.moments.len());
        let Some(last) = self.layers.last_mut() else { return };
        last.sums.transpose_rows(gradient, last.sums.depth(), self.rows);
        let layers = trainee.network.layers_mut().iter_mut().zip(&mut trainee.moments);
        for (index, (layer, moments)) in layers.enumerate().rev() {
            let (before, after) = self.layers.split_at_mut(index);
            let LayerSpace { by_row, sums, .. } = &mut after[0];
            if let Some(below) = before.last_mut() {
                layer.blocked_input_gradient(sums, &mut self.below);
                descend(&self.below, &mut below.sums);
            }
            match &mut first.sparse {
                Some(rows) if index == 0 => {
                    rows.index();
                    let gradient = |output: usize, row: usize| sums.number(output, row);
                    layer.sparse_update(moments, rows, gradient, (first.update, optimizer));
                }
                _ => update(layer, moments, by_row, sums, optimizer),
            }
        }
    }
}

impl LayerSpace {
    /// Copies the rows of a batch in.
    fn fill(&mut self, rows: &[FeatureRow<'_>], width: usize) {
        self.by_row.reset(rows.len(), width + 1);
        let size = rows.len() * PANEL;
        for (row, &values) in rows.iter().enumerate() {
            assert_eq!(values.len(), width);
            self.by_row.set(row, width, 1.0);
            match values {
                FeatureRow::Dense(values) => {
                    let panels = self.by_row.numbers_mut().chunks_mut(size);
                    for (panel, values) in panels.zip(values.chunks(PANEL)) {
                        panel[row * PANEL..][..values.len()].copy_from_slice(values);
                    }
                }
                values => values.stored().for_each(|(column, value)| {
                    self.by_row.set(row, column, value);
                }),
            }
        }
        self.by_unit.transpose(&self.by_row);
    }
}

/// Turns sums into the next layer's inputs, and into their slopes.
fn activate(
    sums: &mut Panels,
    activation: Activation,
    dropout: Option<LayerDropout>,
    next: &mut Panels,
) {
    let (units, rows) = (sums.depth(), sums.columns());
    next.resize(units + 1, rows);
    let widths: Vec<usize> = (0..sums.count()).map(|panel| sums.width(panel)).collect();
    let size = units * PANEL;
    next.each_panel_with(sums, |panel, inputs, sums| {
        let (inputs, ones) = inputs.split_at_mut(size);
        ones.fill(0.0);
        ones[..widths[panel]].fill(1.0);
        let first = (panel * PANEL) as u32;
        Arch::new().dispatch(Activate { sums, inputs, activation, dropout, first });
    });
}

struct Activate<'a> {
    sums: &'a mut [f32],
    inputs: &'a mut [f32],
    activation: Activation,
    dropout: Option<LayerDropout>,
    /// The first row of the panel.
    first: u32,
}

impl WithSimd for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { sums, inputs, activation, dropout, first } = self;
        let quads = sums.chunks_mut(4 * PANEL).zip(inputs.chunks_mut(4 * PANEL));
        for (quad, (sums, inputs)) in quads.enumerate() {
            let factors = match &dropout {
                Some(dropout) => dropout.factors_of_rows::<PANEL>(quad as u32, first),
                None => [[1.0; PANEL]; 4],
            };
            let units = sums.as_chunks_mut::<PANEL>().0.iter_mut();
            let units = units.zip(inputs.as_chunks_mut::<PANEL>().0);
            for ((sums, inputs), factors) in units.zip(&factors) {
                for row in 0..PANEL {
                    let (value, slope) = activation.value_and_slope(sums[row]);
                    inputs[row] = value * factors[row];
                    sums[row] = slope * factors[row];
                }
            }
        }
    }
}

/// The gradient of a layer's inputs through the activations they came from: slopes become the
/// gradient of the sums.
fn descend(below: &Panels, slopes: &mut Panels) {
    slopes.each_panel(|(panel, slopes)| {
        Arch::new().dispatch(Multiply { slopes, by: below.panel(panel) });
    });
}

struct Multiply<'a> {
    slopes: &'a mut [f32],
    by: &'a [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.slopes.iter_mut().zip(self.by).for_each(|(slope, by)| *slope *= by);
    }
}
