//! Learners of hierarchies as nodes of a graph: HMCN, HMC-LMLP, DHN.

use rulebound_core::{LabelId, Labels, Literal, Program, Rule};

use super::cycle::Loops;
use super::graph::{GraphBuilder, Value};
use super::layer::{self, Zeros};
use super::mixture::mixture;
use super::network;
use super::plan::LayerPlan;
use crate::learner::NamedTensors;
use crate::network::{Activation, Linear, Network};

/// The classes of each level, from the level of each class; `u32::MAX` is none.
fn levels(tensors: &NamedTensors) -> Vec<Vec<usize>> {
    let places = tensors.indices("levels");
    let count = places.iter().filter(|&&place| place != u32::MAX).max().map_or(0, |last| last + 1);
    (0..count)
        .map(|level| (0..places.len()).filter(|&class| places[class] == level).collect())
        .collect()
}

/// The rows of values for these classes, in this order; a class that has none gets −∞.
fn arranged(graph: &mut GraphBuilder, value: &Value, classes: &[usize], order: &[usize]) -> Value {
    let row = |class: &usize| classes.iter().position(|of| of == class);
    let rows: Option<Vec<usize>> = order.iter().map(row).collect();
    if let Some(rows) = rows {
        return match rows.is_sorted() {
            true => value.clone(),
            false => graph.gather(value, &[rows.len()], &rows),
        };
    }
    let never = graph.floats(&[], &[f32::NEG_INFINITY]);
    let first = graph.gather(value, &[1], &[0]);
    let never = graph.pair("Min", &first, &never);
    let all = graph.concat(&[value.clone(), never], 0);
    let rows: Vec<usize> = order.iter().map(|class| row(class).unwrap_or(classes.len())).collect();
    graph.gather(&all, &[rows.len()], &rows)
}

/// A layer of a learner's arrays `NAME.weight` and `NAME.bias`; only these columns of its inputs.
struct Named<'a> {
    tensors: &'a NamedTensors,
    name: String,
}

impl Named<'_> {
    fn weights(&self, columns: std::ops::Range<usize>) -> (Vec<f32>, usize) {
        let weights = self.tensors.floats(&format!("{}.weight", self.name));
        let outputs = self.biases().len();
        let inputs = weights.len() / outputs.max(1);
        let rows = weights.chunks_exact(inputs.max(1));
        (rows.flat_map(|row| &row[columns.clone()]).copied().collect(), outputs)
    }

    fn biases(&self) -> &[f32] {
        self.tensors.floats(&format!("{}.bias", self.name))
    }

    fn linear(&self) -> Linear {
        let weights = self.tensors.floats(&format!("{}.weight", self.name));
        let outputs = self.biases().len();
        Linear::from_parts(weights.len() / outputs, outputs, weights, self.biases())
    }

    /// `[rows, inputs]` to `[rows, outputs]`.
    fn append(
        &self,
        graph: &mut GraphBuilder,
        values: &Value,
        columns: std::ops::Range<usize>,
    ) -> Value {
        let width = columns.len();
        let (weights, outputs) = self.weights(columns);
        let weights = graph.floats(&[outputs, width], &weights);
        let biases = graph.floats(&[outputs], self.biases());
        graph.product(values, &weights, &biases)
    }

    /// `[rows, inputs]` to `[outputs, rows]`.
    fn append_by_class(&self, graph: &mut GraphBuilder, values: &Value, width: usize) -> Value {
        let (weights, outputs) = self.weights(0..width);
        let weights = graph.floats(&[outputs, width], &weights);
        let biases = graph.floats(&[outputs, 1], self.biases());
        graph.product(&weights, values, &biases)
    }
}

/// HMCN-F or HMCN-R.
pub(super) fn level_network(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let layer = |name: String| Named { tensors, name };
    let levels = levels(tensors);
    let is_recurrent = tensors.indices("recurrent") == [1];
    let classes = tensors.floats("global.bias").len();
    let units = tensors.floats("global.weight").len() / classes.max(1);
    let first = layer("state.0".to_owned());
    let inputs = tensors.floats("state.0.weight").len() / first.biases().len().max(1);
    let width = inputs - if is_recurrent { units } else { 0 };
    let relu = |graph: &mut GraphBuilder, sums: &Value| graph.node("Relu", &[sums], Vec::new());
    let (mut state, mut memory): (Option<Value>, Option<Value>) = (None, None);
    let mut local = Vec::new();
    for level in 0..levels.len() {
        let seen = match &state {
            Some(state) => graph.concat(&[state.clone(), encoded.clone()], 1),
            None => encoded.clone(),
        };
        let trunk = layer(format!("state.{}", if is_recurrent { 0 } else { level }));
        let next = if is_recurrent {
            // The state before the first is 0: its weights do not matter.
            let columns = if state.is_some() { 0..units + width } else { units..units + width };
            let gates = trunk.append(graph, &seen, columns);
            let (next, kept) = cell(graph, &gates, memory.as_ref(), units);
            memory = Some(kept);
            next
        } else {
            let columns = 0..if state.is_some() { units + width } else { width };
            let sums = trunk.append(graph, &seen, columns);
            relu(graph, &sums)
        };
        let hidden = layer(format!("transition.{level}")).append(graph, &next, 0..units);
        let hidden = relu(graph, &hidden);
        local.push(layer(format!("local.{level}")).append_by_class(graph, &hidden, units));
        state = Some(next);
    }
    let Some(state) = state else { unreachable!("there is a level") };
    let global = layer("global".to_owned()).append_by_class(graph, &state, units);
    let listed: Vec<usize> = levels.concat();
    let local = graph.concat(&local, 0);
    let same = graph.gather(&global, &[listed.len()], &listed);
    let share = tensors.doubles("share").first().copied().unwrap_or_default();
    let mixed = mixture(graph, &[(share, local), (1.0 - share, same)]);
    // Classes in no level have global outputs alone.
    let others: Vec<usize> = (0..classes).filter(|class| !listed.contains(class)).collect();
    if others.is_empty() {
        return arranged(graph, &mixed, &listed, order);
    }
    let rest = graph.gather(&global, &[others.len()], &others);
    let all = graph.concat(&[mixed, rest], 0);
    arranged(graph, &all, &[listed, others].concat(), order)
}

/// A turn of the recurrent cell: its state and its memory.
fn cell(
    graph: &mut GraphBuilder,
    gates: &Value,
    before: Option<&Value>,
    units: usize,
) -> (Value, Value) {
    let one = graph.floats(&[], &[1.0]);
    let part = |graph: &mut GraphBuilder, at: usize| {
        let columns: Vec<usize> = (at * units..(at + 1) * units).collect();
        graph.columns(gates, &columns)
    };
    let [forget, input, output] = [0, 1, 2].map(|at| {
        let sums = part(graph, at);
        graph.logistic(&sums, &one)
    });
    let candidate = part(graph, 3);
    let candidate = graph.node("Tanh", &[&candidate], Vec::new());
    let mut memory = graph.pair("Mul", &input, &candidate);
    if let Some(before) = before {
        let kept = graph.pair("Mul", &forget, before);
        memory = graph.pair("Add", &kept, &memory);
    }
    let shown = graph.node("Tanh", &[&memory], Vec::new());
    (graph.pair("Mul", &output, &shown), memory)
}

/// HMC-LMLP: a perceptron for each level, which sees the outputs of the one above.
pub(super) fn local_perceptrons(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let one = graph.floats(&[], &[1.0]);
    let levels = levels(tensors);
    let (mut seen, mut local) = (encoded.clone(), Vec::new());
    for (level, classes) in levels.iter().enumerate() {
        let output = tensors.floats(&format!("output.{level}"));
        let units = output.len() / classes.len() - 1;
        let hidden = tensors.floats(&format!("hidden.{level}"));
        let hidden = by_input(graph, hidden, units, &seen);
        let hidden = graph.logistic(&hidden, &one);
        let sums = by_input(graph, output, classes.len(), &hidden);
        if level + 1 < levels.len() {
            let outputs = graph.logistic(&sums, &one);
            seen = graph.concat(&[encoded.clone(), outputs], 1);
        }
        local.push(sums);
    }
    let all = graph.concat(&local, 1);
    let all = graph.transpose(&all);
    arranged(graph, &all, &levels.concat(), order)
}

/// A layer whose weights are stored input by input; those of the last input are biases.
fn by_input(graph: &mut GraphBuilder, numbers: &[f32], outputs: usize, values: &Value) -> Value {
    let inputs = numbers.len() / outputs - 1;
    let (weights, biases) = numbers.split_at(inputs * outputs);
    let weights = graph.floats(&[inputs, outputs], weights);
    let biases = graph.floats(&[outputs], biases);
    graph.node("Gemm", &[values, &weights, &biases], Vec::new())
}

/// DHN: what is affirmed goes up the hierarchy, what is denied goes down.
pub(super) fn two_way(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let layers: Vec<Linear> = (0..)
        .map(|layer| Named { tensors, name: format!("layer.{layer}") })
        .take_while(|layer| !layer.biases().is_empty())
        .map(|layer| layer.linear())
        .collect();
    let classes = layers.last().map_or(0, Linear::outputs) / 2;
    let affirming = Network::from_layers(Activation::Relu, layers);
    let rule = |head: usize, body: usize| {
        Rule::new(LabelId::new(head), [Literal::positive(LabelId::new(body))])
    };
    let mut rules = Vec::new();
    for edge in tensors.indices("edges").chunks_exact(2) {
        let (child, parent) = (edge[0] as usize, edge[1] as usize);
        rules.extend([rule(parent, child), rule(classes + child, classes + parent)]);
    }
    let names = (0..2 * classes).map(|class| class.to_string());
    let program = match Labels::new(names).map(|labels| Program::new(labels, rules)) {
        Ok(Ok(program)) => program,
        _ => unreachable!("a hierarchy is stratified"),
    };
    let plan = LayerPlan::new(&program);
    let outputs = network::network(graph, &affirming, encoded, &plan.order());
    let outputs = graph.canonical(&outputs);
    let both = layer::append(graph, &plan, &outputs, Zeros::Canonical, Loops::default());
    let denied: Vec<usize> = order.iter().map(|class| classes + class).collect();
    let yes = graph.gather(&both, &[classes], order);
    let no = graph.gather(&both, &[classes], &denied);
    let no = graph.node("Neg", &[&no], Vec::new());
    let share = tensors.doubles("affirmed").first().copied().unwrap_or_default();
    mixture(graph, &[(share, yes), (1.0 - share, no)])
}
