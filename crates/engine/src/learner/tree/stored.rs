//! Trees as arrays of a model file, and back; what is read is not believed.
//!
//! | array | holds |
//! |---|---|
//! | `tree_ends` | where the nodes of each tree end |
//! | `node_inputs` | the input of a node; 2³² − 1 for a leaf |
//! | `node_thresholds` | its threshold; NaN for a list of codes, 0 for a leaf |
//! | `node_shares` | the share of a missing value that goes to `yes` |
//! | `node_others` | the branch `no`, counted from the tree's first node; for a leaf, the number of its entries |
//! | `code_ends`, `codes` | the lists of codes, in the order of their nodes |
//! | `entry_sets`, `entry_shares` | the entries of the leaves, in the order of the leaves |
//! | `set_ends`, `set_classes` | the label sets |

use super::label_sets::LabelSets;
use super::single::{Node, Tree};
use super::trees::Trees;
use crate::learner::named_tensors::{NamedTensors, TensorValues};

const LEAF: u32 = u32::MAX;

impl Trees {
    /// The trees as arrays.
    pub(in crate::learner) fn tensors(&self) -> NamedTensors {
        let (mut tree_ends, mut node_inputs, mut node_others) = (vec![], vec![], vec![]);
        let (mut node_thresholds, mut node_shares) = (vec![], vec![]);
        let (mut code_ends, mut codes) = (vec![], vec![]);
        let (mut entry_sets, mut entry_shares) = (vec![], vec![]);
        for tree in &self.trees {
            for node in &tree.nodes {
                let (input, threshold, share, other) = match *node {
                    Node::Above { input, threshold, share, no } => (input, threshold, share, no),
                    Node::Among { input, codes: list, share, no } => {
                        codes.extend_from_slice(tree.codes(list));
                        code_ends.push(codes.len() as u32);
                        (input, f32::NAN, share, no)
                    }
                    Node::Leaf { first, end } => (LEAF, 0.0, 0.0, end - first),
                };
                node_inputs.push(input);
                node_thresholds.push(threshold);
                node_shares.push(share);
                node_others.push(other);
            }
            tree_ends.push(node_inputs.len() as u32);
            entry_sets.extend(tree.entries.iter().map(|entry| entry.0));
            entry_shares.extend(tree.entries.iter().map(|entry| entry.1));
        }
        let (set_ends, set_classes) = self.sets.parts();
        let mut tensors = NamedTensors::new();
        for (name, values) in [
            ("tree_ends", tree_ends),
            ("node_inputs", node_inputs),
            ("node_others", node_others),
            ("code_ends", code_ends),
            ("codes", codes),
            ("entry_sets", entry_sets),
            ("set_ends", set_ends.to_vec()),
            ("set_classes", set_classes.to_vec()),
        ] {
            tensors.insert(name, &[values.len()], TensorValues::U32(values));
        }
        for (name, values) in [
            ("node_thresholds", node_thresholds),
            ("node_shares", node_shares),
            ("entry_shares", entry_shares),
        ] {
            tensors.insert(name, &[values.len()], TensorValues::F32(values));
        }
        tensors
    }

    /// The trees of these arrays.
    ///
    /// # Errors
    /// A sentence about what is wrong with them.
    pub(in crate::learner) fn from_tensors(
        mut tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        let mut indices = |name: &str| Ok::<_, String>(tensors.take_u32(name, 1)?.1);
        let (tree_ends, node_inputs) = (indices("tree_ends")?, indices("node_inputs")?);
        let (node_others, code_ends) = (indices("node_others")?, indices("code_ends")?);
        let (codes, entry_sets) = (indices("codes")?, indices("entry_sets")?);
        let sets = LabelSets::from_parts(indices("set_ends")?, indices("set_classes")?, classes)?;
        let mut numbers = |name: &str| Ok::<_, String>(tensors.take_f32(name, 1)?.1);
        let (node_thresholds, node_shares) = (numbers("node_thresholds")?, numbers("node_shares")?);
        let entry_shares = numbers("entry_shares")?;

        let nodes = node_inputs.len();
        let is_same = [node_others.len(), node_thresholds.len(), node_shares.len()] == [nodes; 3];
        let is_whole = tree_ends.last().copied().unwrap_or(0) as usize == nodes;
        if !is_same || !is_whole || !tree_ends.is_sorted() {
            return Err("the arrays of the nodes differ in length".to_owned());
        }
        if entry_sets.len() != entry_shares.len()
            || entry_sets.iter().any(|&set| set as usize >= sets.len())
            || entry_shares.iter().any(|&share| !(share > 0.0 && share <= 1.0))
        {
            return Err("the entries of the leaves are not label sets with shares".to_owned());
        }
        if !code_ends.is_sorted() || code_ends.last().copied().unwrap_or(0) as usize != codes.len()
        {
            return Err("the ends of the lists of codes do not fit the codes".to_owned());
        }
        let mut lists = Lists { ends: code_ends.iter(), codes: &codes, first: 0 };
        let mut entries = entry_sets.into_iter().zip(entry_shares);
        let mut trees = Vec::with_capacity(tree_ends.len());
        let mut first = 0;
        for &end in &tree_ends {
            let mut tree = Tree::default();
            for node in first..end as usize {
                let (other, share) = (node_others[node], node_shares[node]);
                let (input, threshold) = (node_inputs[node], node_thresholds[node]);
                tree.nodes.push(if input == LEAF {
                    let first = tree.entries.len() as u32;
                    tree.entries.extend(entries.by_ref().take(other as usize));
                    let end = tree.entries.len() as u32;
                    if other == 0 || end - first != other {
                        return Err("a leaf has fewer entries than it says".to_owned());
                    }
                    Node::Leaf { first, end }
                } else if input as usize >= inputs || !(0.0..=1.0).contains(&share) {
                    return Err("a node tests an input that does not exist".to_owned());
                } else if threshold.is_nan() {
                    let list = tree.codes.len() as u32;
                    tree.codes.push(lists.next().ok_or("a list of codes is missing")?);
                    Node::Among { input, codes: list, share, no: other }
                } else {
                    Node::Above { input, threshold, share, no: other }
                });
            }
            check_order(&tree.nodes)?;
            tree.finish();
            trees.push(tree);
            first = end as usize;
        }
        if trees.is_empty() || lists.next().is_some() || entries.next().is_some() {
            return Err("there are more lists, or more entries, than trees use".to_owned());
        }
        Ok(Self { trees, sets, inputs, classes })
    }
}

/// The lists of codes, one after the other.
struct Lists<'a> {
    ends: std::slice::Iter<'a, u32>,
    codes: &'a [u32],
    first: usize,
}

impl Iterator for Lists<'_> {
    type Item = Box<[u32]>;

    fn next(&mut self) -> Option<Box<[u32]>> {
        let end = *self.ends.next()? as usize;
        let list = self.codes[self.first..end].into();
        self.first = end;
        Some(list)
    }
}

/// Fails unless the nodes are one tree in preorder, so that every walk ends.
fn check_order(nodes: &[Node]) -> Result<(), String> {
    let mut waiting = Vec::new();
    let mut is_expected = true;
    for (at, node) in (0..).zip(nodes) {
        if !is_expected && waiting.pop() != Some(at) {
            return Err("the nodes of a tree are not in preorder".to_owned());
        }
        is_expected = match *node {
            Node::Above { no, .. } | Node::Among { no, .. } => {
                waiting.push(no);
                true
            }
            Node::Leaf { .. } => false,
        };
    }
    match is_expected || !waiting.is_empty() {
        true => Err("a tree ends before all its branches do".to_owned()),
        false => Ok(()),
    }
}
