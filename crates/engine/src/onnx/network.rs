//! Networks as nodes of a graph.
//!
//! The last layer is written with classes as rows, in the order of the layer's plan, so that nothing has to be transposed.

use super::graph::{GraphBuilder, Value};
use super::messages::FLOAT;
use crate::learner::NamedTensors;
use crate::network::{Activation, Linear, Network};

/// The logits of a network, `[classes, rows]` with classes in this order.
pub(super) fn network(
    graph: &mut GraphBuilder,
    network: &Network,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let Some((last, hidden)) = network.layers().split_last() else {
        unreachable!("a network has a layer")
    };
    let mut values = encoded.clone();
    for layer in hidden {
        let sums = dense(graph, layer, &values);
        values = activation(graph, network.activation(), &sums);
    }
    by_class(graph, last, &values, order)
}

/// The activation function of hidden units.
fn activation(graph: &mut GraphBuilder, kind: Activation, sums: &Value) -> Value {
    let name = match kind {
        Activation::Relu => "Relu",
        Activation::Tanh => "Tanh",
    };
    graph.node(name, &[sums], Vec::new())
}

/// A layer, `[rows, inputs]` to `[rows, outputs]`.
pub(super) fn dense(graph: &mut GraphBuilder, layer: &Linear, values: &Value) -> Value {
    let weights: Vec<f32> = layer.weights().collect();
    let biases: Vec<f32> = layer.biases().collect();
    let weights = graph.floats(&[layer.outputs(), layer.inputs()], &weights);
    let biases = graph.floats(&[layer.outputs()], &biases);
    graph.product(values, &weights, &biases)
}

/// A layer, `[rows, inputs]` to `[outputs, rows]` with outputs in this order.
pub(super) fn by_class(
    graph: &mut GraphBuilder,
    layer: &Linear,
    values: &Value,
    order: &[usize],
) -> Value {
    let all: Vec<f32> = layer.weights().collect();
    let inputs = layer.inputs();
    let weights: Vec<f32> =
        order.iter().flat_map(|&class| &all[class * inputs..][..inputs]).copied().collect();
    let all: Vec<f32> = layer.biases().collect();
    let biases: Vec<f32> = order.iter().map(|&class| all[class]).collect();
    let weights = graph.floats(&[order.len(), inputs], &weights);
    let biases = graph.floats(&[order.len(), 1], &biases);
    graph.product(&weights, values, &biases)
}

/// The same logits for every row.
pub(super) fn prior(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let logits = tensors.floats("logits");
    let logits: Vec<f32> = order.iter().map(|&class| logits[class]).collect();
    let logits = graph.floats(&[order.len(), 1], &logits);
    let zeros = zeros(graph, encoded, FLOAT);
    graph.pair("Add", &logits, &zeros)
}

/// A row of zeros for as many examples as there are, whatever is in them: `[1, rows]`.
pub(super) fn zeros(graph: &mut GraphBuilder, encoded: &Value, kind: i32) -> Value {
    let first = graph.columns(encoded, &[0]);
    let is_missing = graph.node("IsNaN", &[&first], Vec::new());
    let ones = graph.cast(&is_missing, kind);
    let zero = if kind == FLOAT { graph.floats(&[], &[0.0]) } else { graph.doubles(&[], &[0.0]) };
    let zeros = graph.pair("Mul", &ones, &zero);
    graph.transpose(&zeros)
}
