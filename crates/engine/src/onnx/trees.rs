//! Trees as nodes of a graph.
//!
//! Where a missing value follows one branch, all trees are one `TreeEnsembleRegressor`, which sums the shares of label sets. Where
//! it follows both, the share of a row that reaches a node is computed for all nodes of one depth at once. Features and thresholds are
//! 32-bit numbers on both sides, so that no row takes another branch. Sums are in 64 bits.

use super::attribute::{int, ints, tensor, texts};
use super::file::ML;
use super::graph::{GraphBuilder, Value};
use super::messages::DOUBLE;
use super::mixture::odds;
use super::stored_trees::{StoredNode, StoredTrees, Test};
use crate::learner::NamedTensors;

/// Below this part of all weight, what is left for the other side is rounding.
const ROUNDING: f64 = 1e-12;

/// The logits of trees with these arrays, `[classes, rows]` with classes in this order.
pub(super) fn trees(
    graph: &mut GraphBuilder,
    tensors: &NamedTensors,
    encoded: &Value,
    order: &[usize],
) -> Value {
    let trees = StoredTrees::new(tensors);
    let weights = match trees.follows_one_branch() {
        true => ensemble(graph, &trees, encoded),
        false => shares(graph, &trees, encoded),
    };
    // One row for each class, and one for everything.
    let mut is_in = vec![0; (order.len() + 1) * trees.sets.len()];
    let mut row_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(row, &class)| row_of[class] = row);
    for (number, set) in trees.sets.iter().enumerate() {
        for row in set.iter().map(|&class| row_of[class]).chain([order.len()]) {
            is_in[row * trees.sets.len() + number] = 1;
        }
    }
    let is_in = graph.bytes(&[order.len() + 1, trees.sets.len()], is_in);
    let is_in = graph.cast(&is_in, DOUBLE);
    let sums = graph.node("Gemm", &[&is_in, &weights], vec![int("transB", 1)]);
    let [with, all]: [Value; 2] = match graph.split(&sums, &[order.len(), 1]).try_into() {
        Ok(both) => both,
        Err(_) => unreachable!("two pieces"),
    };
    let rest = graph.pair("Sub", &all, &with);
    let smallest = graph.doubles(&[], &[ROUNDING]);
    let smallest = graph.pair("Mul", &all, &smallest);
    let is_more = graph.pair("Greater", &rest, &smallest);
    let zero = graph.doubles(&[], &[0.0]);
    let without = graph.node("Where", &[&is_more, &rest, &zero], Vec::new());
    odds(graph, &with, &without)
}

/// The weights of label sets, `[rows, sets]`, by the operator for trees.
fn ensemble(graph: &mut GraphBuilder, trees: &StoredTrees, encoded: &Value) -> Value {
    let mut rows = EnsembleRows::default();
    for (at, node) in trees.nodes.iter().enumerate() {
        let start = trees.starts[node.tree];
        rows.push(at - start, node, start);
    }
    let EnsembleRows { nodes, modes, values, targets, weights } = rows;
    let column = |of: &[[i64; 6]], at: usize| of.iter().map(|row| row[at]).collect::<Vec<i64>>();
    let target = |at: usize| targets.iter().map(|row: &[i64; 3]| row[at]).collect::<Vec<i64>>();
    let attributes = vec![
        int("n_targets", trees.sets.len() as i64),
        ints("nodes_treeids", &column(&nodes, 0)),
        ints("nodes_nodeids", &column(&nodes, 1)),
        ints("nodes_featureids", &column(&nodes, 2)),
        ints("nodes_truenodeids", &column(&nodes, 3)),
        ints("nodes_falsenodeids", &column(&nodes, 4)),
        ints("nodes_missing_value_tracks_true", &column(&nodes, 5)),
        texts("nodes_modes", modes),
        tensor("nodes_values_as_tensor", &values),
        ints("target_treeids", &target(0)),
        ints("target_nodeids", &target(1)),
        ints("target_ids", &target(2)),
        tensor("target_weights_as_tensor", &weights),
    ];
    let wide = graph.cast(encoded, DOUBLE);
    let sums = graph.node_in(ML, "TreeEnsembleRegressor", &[&wide], attributes);
    graph.cast(&sums, DOUBLE)
}

/// The attributes of the operator for trees, row by row.
#[derive(Default)]
struct EnsembleRows {
    /// Tree, node, input, branches yes and no, whether a missing value goes to yes.
    nodes: Vec<[i64; 6]>,
    modes: Vec<&'static str>,
    values: Vec<f64>,
    /// Tree, node, label set.
    targets: Vec<[i64; 3]>,
    weights: Vec<f64>,
}

impl EnsembleRows {
    /// Adds a node with this number in its tree, which begins at `start`. One that asks for several codes becomes a row of
    /// nodes, whose numbers after the first are beyond those of the tree.
    fn push(&mut self, number: usize, node: &StoredNode, start: usize) {
        let (tree, yes, no) =
            (node.tree as i64, (node.yes - start) as i64, node.no as i64 - start as i64);
        let tracks = i64::from(node.share == 1.0);
        match &node.test {
            Test::Leaf { entries } => {
                self.row([tree, number as i64, 0, 0, 0, 0], "LEAF", 0.0);
                for &(set, share) in entries {
                    self.targets.push([tree, number as i64, set as i64]);
                    self.weights.push(f64::from(share));
                }
            }
            Test::Above { input, threshold } => {
                let row = [tree, number as i64, *input as i64, yes, no, tracks];
                self.row(row, "BRANCH_GT", f64::from(*threshold));
            }
            Test::Among { input, codes } => {
                // Numbers that no other node of the tree has.
                let extra = |at: usize| (((number + 1) << 32) + at) as i64;
                for (at, &code) in codes.iter().enumerate() {
                    let own = if at == 0 { number as i64 } else { extra(at) };
                    let next = if at + 1 == codes.len() { no } else { extra(at + 1) };
                    let row = [tree, own, *input as i64, yes, next, tracks];
                    self.row(row, "BRANCH_EQ", f64::from(code));
                }
            }
        }
    }

    fn row(&mut self, node: [i64; 6], mode: &'static str, value: f64) {
        self.nodes.push(node);
        self.modes.push(mode);
        self.values.push(value);
    }
}

/// The weights of label sets, `[rows, sets]`, by the share of each row that reaches each node.
fn shares(graph: &mut GraphBuilder, trees: &StoredTrees, encoded: &Value) -> Value {
    let inputs = graph.transpose(encoded);
    let mut level: Vec<usize> = trees.starts.clone();
    let mut reached: Option<Value> = None;
    let (mut leaves, mut of_leaves) = (Vec::new(), Vec::new());
    while !level.is_empty() {
        let is_leaf = |at: usize| matches!(trees.nodes[at].test, Test::Leaf { .. });
        let (ends, tests): (Vec<usize>, Vec<usize>) =
            (0..level.len()).partition(|&place| is_leaf(level[place]));
        let chosen = |graph: &mut GraphBuilder, places: &[usize]| match &reached {
            Some(reached) => graph.gather(reached, &[places.len()], places),
            // All of every row reaches the roots.
            None => whole(graph, &inputs, places.len()),
        };
        if !ends.is_empty() {
            of_leaves.push(chosen(graph, &ends));
            leaves.extend(ends.iter().map(|&place| level[place]));
        }
        if tests.is_empty() {
            break;
        }
        let before = chosen(graph, &tests);
        let nodes: Vec<&StoredNode> =
            tests.iter().map(|&place| &trees.nodes[level[place]]).collect();
        let yes = yes_shares(graph, &nodes, &inputs);
        let one = graph.doubles(&[], &[1.0]);
        let no = graph.pair("Sub", &one, &yes);
        let both = [yes, no].map(|share| graph.pair("Mul", &before, &share));
        reached = Some(graph.concat(&both, 0));
        let [yes, no]: [fn(&&StoredNode) -> usize; 2] = [|node| node.yes, |node| node.no];
        level = nodes.iter().map(yes).chain(nodes.iter().map(no)).collect();
    }
    let weights = graph.concat(&of_leaves, 0);
    let mut of_sets = vec![0.0; trees.sets.len() * leaves.len()];
    for (column, &leaf) in leaves.iter().enumerate() {
        if let Test::Leaf { entries } = &trees.nodes[leaf].test {
            for &(set, share) in entries {
                of_sets[set * leaves.len() + column] += f64::from(share);
            }
        }
    }
    let of_sets = graph.doubles(&[trees.sets.len(), leaves.len()], &of_sets);
    // Rows of the result are examples: both are transposed.
    let attributes = vec![int("transA", 1), int("transB", 1)];
    graph.node("Gemm", &[&weights, &of_sets], attributes)
}

/// Ones for so many nodes and all rows.
fn whole(graph: &mut GraphBuilder, inputs: &Value, count: usize) -> Value {
    let first = graph.gather(inputs, &[count], &vec![0; count]);
    let is_missing = graph.node("IsNaN", &[&first], Vec::new());
    let numbers = graph.cast(&is_missing, DOUBLE);
    let (zero, one) = (graph.doubles(&[], &[0.0]), graph.doubles(&[], &[1.0]));
    let zeros = graph.pair("Mul", &numbers, &zero);
    graph.pair("Add", &zeros, &one)
}

/// The share of each row that goes to the branch `yes` of each node, `[nodes, rows]`.
fn yes_shares(graph: &mut GraphBuilder, nodes: &[&StoredNode], inputs: &Value) -> Value {
    let (above, among): (Vec<usize>, Vec<usize>) =
        (0..nodes.len()).partition(|&at| matches!(nodes[at].test, Test::Above { .. }));
    let mut parts = Vec::new();
    if !above.is_empty() {
        let columns: Vec<usize> = above.iter().map(|&at| nodes[at].test.input()).collect();
        let values = graph.gather(inputs, &[above.len()], &columns);
        let threshold = |&at: &usize| match nodes[at].test {
            Test::Above { threshold, .. } => threshold,
            _ => f32::NAN,
        };
        let thresholds: Vec<f32> = above.iter().map(threshold).collect();
        let thresholds = graph.floats(&[above.len(), 1], &thresholds);
        let is_yes = graph.pair("Greater", &values, &thresholds);
        let is_yes = graph.cast(&is_yes, DOUBLE);
        parts.push(with_missing(graph, &values, &is_yes, above.iter().map(|&at| nodes[at].share)));
    }
    for &at in &among {
        let Test::Among { input, codes } = &nodes[at].test else { unreachable!("a list of codes") };
        let value = graph.gather(inputs, &[1], &[*input]);
        let codes: Vec<f32> = codes.iter().map(|&code| code as f32).collect();
        let codes = graph.floats(&[codes.len(), 1], &codes);
        let is_code = graph.pair("Equal", &value, &codes);
        let is_code = graph.cast(&is_code, DOUBLE);
        let is_yes = graph.reduce_kept("ReduceMax", &is_code, 0);
        parts.push(with_missing(graph, &value, &is_yes, [nodes[at].share]));
    }
    let all = graph.concat(&parts, 0);
    if among.is_empty() || above.is_empty() {
        return all;
    }
    let mut place_of = vec![0; nodes.len()];
    above.iter().chain(&among).enumerate().for_each(|(place, &at)| place_of[at] = place);
    graph.gather(&all, &[nodes.len()], &place_of)
}

fn with_missing(
    graph: &mut GraphBuilder,
    values: &Value,
    is_yes: &Value,
    shares: impl IntoIterator<Item = f32>,
) -> Value {
    let shares: Vec<f64> = shares.into_iter().map(f64::from).collect();
    let shares = graph.doubles(&[shares.len(), 1], &shares);
    let is_missing = graph.node("IsNaN", &[values], Vec::new());
    graph.node("Where", &[&is_missing, &shares, is_yes], Vec::new())
}
