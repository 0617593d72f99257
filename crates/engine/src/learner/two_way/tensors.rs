//! A two-way network as arrays, and back.

use super::TwoWay;
use super::doubled::Doubled;
use crate::learner::named_tensors::{NamedTensors, TensorValues};
use crate::network::{Activation, Linear, Network};

/// More layers than any network of ours has.
const MOST_LAYERS: usize = 101;

impl TwoWay {
    /// Its arrays.
    pub fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        tensors.insert("affirmed", &[1], TensorValues::F64(vec![self.affirmed]));
        let edges: Vec<u32> = self.doubled.edges().iter().flatten().copied().collect();
        tensors.insert("edges", &[edges.len() / 2, 2], TensorValues::U32(edges));
        for (index, layer) in self.network.layers().iter().enumerate() {
            let weights = TensorValues::F32(layer.weights().collect());
            let shape = [layer.outputs(), layer.inputs()];
            tensors.insert(format!("layer.{index}.weight"), &shape, weights);
            let biases = TensorValues::F32(layer.biases().collect());
            tensors.insert(format!("layer.{index}.bias"), &[layer.outputs()], biases);
        }
        tensors
    }

    /// The network of these arrays.
    ///
    /// # Errors
    /// A sentence about what does not fit.
    pub fn from_tensors(
        mut tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        let affirmed = match tensors.take_f64("affirmed", 1)?.1[..] {
            [affirmed] if (0.0..=1.0).contains(&affirmed) => affirmed,
            _ => return Err("`affirmed` is not a number from 0 to 1".to_owned()),
        };
        let (shape, edges) = tensors.take_u32("edges", 2)?;
        if shape[1] != 2 {
            return Err(format!("`edges` has {} columns instead of 2", shape[1]));
        }
        let doubled = Doubled::new(classes, edges.as_chunks().0.to_vec())?;
        let mut layers: Vec<Linear> = Vec::new();
        while tensors.contains(&format!("layer.{}.weight", layers.len())) {
            let index = layers.len();
            let (shape, weights) = tensors.take_f32(&format!("layer.{index}.weight"), 2)?;
            let (_, biases) = tensors.take_f32(&format!("layer.{index}.bias"), 1)?;
            let expected = layers.last().map_or(inputs, Linear::outputs);
            if shape[1] != expected || biases.len() != shape[0] || index >= MOST_LAYERS {
                return Err(format!("layer {index} does not fit the one before it"));
            }
            if !weights.iter().chain(&biases).all(|number| number.is_finite()) {
                return Err(format!("layer {index} has a number that is not finite"));
            }
            layers.push(Linear::from_parts(shape[1], shape[0], &weights, &biases));
        }
        if layers.last().map(Linear::outputs) != Some(2 * classes) {
            return Err(format!("there are not two outputs for each of {classes} classes"));
        }
        let network = Network::from_layers(Activation::Relu, layers);
        Ok(Self { network, affirmed, doubled })
    }
}
