//! A tree while it grows, in preorder.

use super::single::{Node, Tree};

/// A tree to which nodes are added in preorder.
#[derive(Default)]
pub(in crate::learner) struct GrowingTree {
    tree: Tree,
}

impl GrowingTree {
    /// How many nodes there are; the number of the next.
    pub(in crate::learner) fn len(&self) -> u32 {
        self.tree.nodes.len() as u32
    }

    /// Adds a test `input > threshold`; its `yes` comes next.
    pub(in crate::learner) fn above(&mut self, input: u32, threshold: f32, share: f32) {
        self.tree.nodes.push(Node::Above { input, threshold, share, no: 0 });
    }

    /// Adds a test whether the input is one of these ascending codes; its `yes` comes next.
    pub(in crate::learner) fn among(&mut self, input: u32, codes: Box<[u32]>, share: f32) {
        let list = self.tree.codes.len() as u32;
        self.tree.codes.push(codes);
        self.tree.nodes.push(Node::Among { input, codes: list, share, no: 0 });
    }

    /// Makes the next node the other branch of a test.
    ///
    /// # Panics
    /// If the node is not a test.
    pub(in crate::learner) fn next_is_no_of(&mut self, node: u32) {
        let next = self.len();
        match &mut self.tree.nodes[node as usize] {
            Node::Above { no, .. } | Node::Among { no, .. } => *no = next,
            Node::Leaf { .. } => unreachable!("a leaf has no branches"),
        }
    }

    /// Adds a leaf with these label sets and their weights, which are merged and scaled to sum
    /// to 1.
    pub(in crate::learner) fn leaf(&mut self, rows: impl Iterator<Item = (u32, f64)>) {
        let mut rows: Vec<(u32, f64)> = rows.collect();
        let sum: f64 = rows.iter().map(|row| row.1).sum();
        rows.sort_by_key(|row| row.0);
        rows.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        let first = self.tree.entries.len() as u32;
        self.tree.entries.extend(rows.iter().map(|&(set, weight)| (set, (weight / sum) as f32)));
        let end = self.tree.entries.len() as u32;
        self.tree.nodes.push(Node::Leaf { first, end });
    }

    /// The tree.
    pub(in crate::learner) fn finish(mut self) -> Tree {
        self.tree.finish();
        self.tree
    }
}
