//! Logistic regressions, chains and label sets of them, and CAMEL as nodes of a graph; in 64 bits, as ours are.

use super::attribute::int;
use super::graph::{GraphBuilder, Value};
use super::messages::{DOUBLE, FLOAT};
use super::mixture::{mixture, odds};
use super::network::zeros;
use crate::learner::NamedTensors;

/// The longest chain that is written: every class is some nodes that wait for those of all classes before it.
const LONGEST_CHAIN: usize = 512;

/// Whether these are the arrays of a chain that is too long.
pub(super) fn has_long_chain(tensors: &NamedTensors) -> bool {
    tensors.contains("0.order") && tensors.doubles("0.biases").len() > LONGEST_CHAIN
}

/// The scores of these outputs, `[outputs, rows]`, from arrays `PREFIXweights` (input by input) and `PREFIXbiases`.
fn scores(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    prefix: &str,
    encoded: &Value,
    outputs: &[usize],
) -> Value {
    let weights = tensors.doubles(&format!("{prefix}weights"));
    let biases = tensors.doubles(&format!("{prefix}biases"));
    let (inputs, all) = (weights.len() / biases.len().max(1), biases.len());
    let places =
        outputs.iter().flat_map(|&output| (0..inputs).map(move |input| input * all + output));
    let weights: Vec<f64> = places.map(|at| weights[at]).collect();
    let biases: Vec<f64> = outputs.iter().map(|&output| biases[output]).collect();
    let weights = graph.doubles(&[outputs.len(), inputs], &weights);
    let biases = graph.doubles(&[outputs.len(), 1], &biases);
    let wide = graph.cast(encoded, DOUBLE);
    graph.product(&weights, &wide, &biases)
}

/// A logistic regression for each class.
pub(super) fn regressions(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let scores = scores(graph, tensors, "", encoded, order);
    graph.cast(&scores, FLOAT)
}

/// Chains: a class that is decided adds to the scores of those after it.
pub(super) fn chains(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let numbers = (0..).take_while(|number| tensors.contains(&format!("{number}.order")));
    let each: Vec<Value> =
        numbers.map(|number| chain(graph, tensors, number, encoded, order)).collect();
    match &each[..] {
        [one] => graph.cast(one, FLOAT),
        several => {
            let parts: Vec<(f64, Value)> = several.iter().map(|one| (1.0, one.clone())).collect();
            mixture(graph, &parts)
        }
    }
}

fn chain(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    number: usize,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let prefix = format!("{number}.");
    let classes: Vec<usize> =
        tensors.indices(&format!("{prefix}order")).iter().map(|&class| class as usize).collect();
    let links = tensors.doubles(&format!("{prefix}links"));
    // The links of a class to those after it, class after class.
    let link = |from: usize, to: usize| {
        let before: usize = (0..from).map(|place| classes.len() - 1 - place).sum();
        links[before + to - from - 1]
    };
    let own = scores(graph, tensors, &prefix, encoded, &classes);
    let zero = graph.doubles(&[], &[0.0]);
    let mut final_scores = Vec::new();
    let mut decided: Option<Value> = None;
    for place in 0..classes.len() {
        let mut score = graph.gather(&own, &[1], &[place]);
        if let Some(decided) = &decided {
            let links: Vec<f64> = (0..place).map(|from| link(from, place)).collect();
            let links = graph.doubles(&[1, place], &links);
            let added = graph.node("Gemm", &[&links, decided], Vec::new());
            score = graph.pair("Add", &score, &added);
        }
        let is_on = graph.pair("Greater", &score, &zero);
        let is_on = graph.cast(&is_on, DOUBLE);
        decided = Some(match decided {
            None => is_on,
            Some(before) => graph.concat(&[before, is_on], 0),
        });
        final_scores.push(score);
    }
    let mut place_of = vec![0; classes.len()];
    classes.iter().enumerate().for_each(|(place, &class)| place_of[class] = place);
    let ordered: Vec<Value> =
        order.iter().map(|&class| final_scores[place_of[class]].clone()).collect();
    graph.concat(&ordered, 0)
}

/// Label sets: the probabilities of the combinations of each, then those of their classes.
pub(super) fn label_sets(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let pieces = |list: &str, sizes: &str| -> Vec<Vec<u32>> {
        let mut rest = tensors.indices(list);
        let sizes = tensors.indices(sizes).iter();
        sizes.map(|&size| rest.split_off(..size as usize).unwrap_or_default().to_vec()).collect()
    };
    let labels = pieces("labels", "sizes");
    let combinations = pieces("combinations", "counts");
    let columns = tensors.doubles("biases").len();
    let mut parts = vec![zeros(graph, encoded, DOUBLE)];
    if columns > 0 {
        let all: Vec<usize> = (0..columns).collect();
        parts.push(scores(graph, tensors, "", encoded, &all));
    }
    let table = graph.concat(&parts, 0);
    // Row 0 is that of combinations without a score: the first of two, and one that is alone.
    let (mut rows, mut set_of, mut next) = (Vec::new(), Vec::new(), 1);
    for (set, combinations) in combinations.iter().enumerate() {
        let own = match combinations.len() {
            1 => vec![0],
            2 => vec![0, next],
            more => (next..next + more).collect(),
        };
        next += own.iter().filter(|row| **row > 0).count();
        set_of.extend(own.iter().map(|_| set));
        rows.extend(own);
    }
    let (sets, total) = (combinations.len(), rows.len());
    let scores = graph.gather(&table, &[total], &rows);
    let most = largest(graph, &scores, &set_of, sets);
    let most = graph.gather(&most, &[total], &set_of);
    let less = graph.pair("Sub", &scores, &most);
    let shares = graph.node("Exp", &[&less], Vec::new());
    let of_set = zeros_and_ones(graph, sets, total, |set, at| set_of[at] == set);
    let all = graph.node("Gemm", &[&of_set, &shares], Vec::new());
    let all = graph.gather(&all, &[total], &set_of);
    let shares = graph.pair("Div", &shares, &all);
    let flat: Vec<u32> = combinations.concat();
    let holds = |class: usize, at: usize| {
        let bit = labels[set_of[at]].iter().position(|&label| label as usize == class);
        bit.map(|bit| flat[at] >> bit & 1 == 1)
    };
    let [with, without] = [true, false].map(|side| {
        let is_side = |row: usize, at: usize| holds(order[row], at) == Some(side);
        let is_side = zeros_and_ones(graph, order.len(), total, is_side);
        graph.node("Gemm", &[&is_side, &shares], Vec::new())
    });
    odds(graph, &with, &without)
}

/// The largest score of each set.
fn largest(graph: &mut GraphBuilder, scores: &Value, set_of: &[usize], sets: usize) -> Value {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); sets];
    set_of.iter().enumerate().for_each(|(at, &set)| members[set].push(at));
    let width = members.iter().map(Vec::len).max().unwrap_or(0);
    let slots = members.iter().flat_map(|of| (0..width).map(|slot| of[slot.min(of.len() - 1)]));
    let slots: Vec<usize> = slots.collect();
    let each = graph.gather(scores, &[sets, width], &slots);
    graph.reduce("ReduceMax", &each, 1)
}

/// A table of 0 and 1, in 64 bits; it is kept in bytes.
fn zeros_and_ones(
    graph: &mut GraphBuilder,
    rows: usize,
    columns: usize,
    is_one: impl Fn(usize, usize) -> bool,
) -> Value {
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let bytes = cells.map(|(row, column)| u8::from(is_one(row, column))).collect();
    let bytes = graph.bytes(&[rows, columns], bytes);
    graph.cast(&bytes, DOUBLE)
}

/// CAMEL: Gaussian kernels around all training rows.
pub(super) fn kernels(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let (rows, biases) = (tensors.floats("rows"), tensors.doubles("biases"));
    let coefficients = tensors.doubles("coefficients");
    let gamma = tensors.doubles("gamma").first().copied().unwrap_or_default();
    let count = coefficients.len() / biases.len().max(1);
    let width = rows.len() / count.max(1);
    let squares: Vec<f64> = rows
        .chunks_exact(width.max(1))
        .map(|row| row.iter().map(|&value| f64::from(value).powi(2)).sum())
        .collect();
    let squares = graph.doubles(&[count, 1], &squares);
    let rows = graph.floats(&[count, width], rows);
    let rows = graph.cast(&rows, DOUBLE);
    let wide = graph.cast(encoded, DOUBLE);
    // |x − r|² = |r|² − 2 r·x + |x|²
    let products = graph.node("Gemm", &[&rows, &wide], vec![int("transB", 1)]);
    let factor = graph.doubles(&[], &[-2.0]);
    let products = graph.pair("Mul", &products, &factor);
    let sums = graph.pair("Add", &products, &squares);
    let own = graph.pair("Mul", &wide, &wide);
    let ones = graph.doubles(&[1, width], &vec![1.0; width]);
    let own = graph.node("Gemm", &[&ones, &own], vec![int("transB", 1)]);
    let distances = graph.pair("Add", &sums, &own);
    let zero = graph.doubles(&[], &[0.0]);
    let distances = graph.pair("Max", &distances, &zero);
    let factor = graph.doubles(&[], &[-gamma]);
    let exponents = graph.pair("Mul", &distances, &factor);
    let kernels = graph.node("Exp", &[&exponents], Vec::new());
    let places =
        order.iter().flat_map(|&class| (0..count).map(move |row| row * biases.len() + class));
    let by_class: Vec<f64> = places.map(|at| 2.0 * coefficients[at]).collect();
    let by_class = graph.doubles(&[order.len(), count], &by_class);
    let doubled: Vec<f64> = order.iter().map(|&class| 2.0 * biases[class]).collect();
    let doubled = graph.doubles(&[order.len(), 1], &doubled);
    let scores = graph.node("Gemm", &[&by_class, &kernels, &doubled], Vec::new());
    graph.cast(&scores, FLOAT)
}
