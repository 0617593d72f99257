//! One tree.

use super::reached::ReachedLeaf;
use super::walk::Walk;

/// A part of a tree. The node for `yes` follows its parent; `no` is the number of the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::learner) enum Node {
    /// Yes where the input is above the threshold.
    Above {
        /// The input.
        input: u32,
        /// The threshold.
        threshold: f32,
        /// The share of a row with this input missing that goes to `yes`.
        share: f32,
        /// The other branch.
        no: u32,
    },
    /// Yes where the input is one of the codes of a list.
    Among {
        /// The input.
        input: u32,
        /// The number of the list.
        codes: u32,
        /// The share of a row with this input missing that goes to `yes`.
        share: f32,
        /// The other branch.
        no: u32,
    },
    /// The end of the leaf's entries; they begin where those of the leaf before end.
    Leaf {
        /// The first entry.
        first: u32,
        /// Where they end.
        end: u32,
    },
}

/// A tree: its nodes in preorder, lists of codes, and the entries of its leaves.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::learner) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) codes: Vec<Box<[u32]>>,
    pub(super) entries: Vec<(u32, f32)>,
    pub(super) walk: Option<Walk>,
}

impl Tree {
    /// The nodes in preorder.
    pub(in crate::learner) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The codes of a list, ascending.
    pub(in crate::learner) fn codes(&self, list: u32) -> &[u32] {
        &self.codes[list as usize]
    }

    /// The entries (label set, share of the leaf) of a leaf.
    pub(super) fn entries(&self, first: u32, end: u32) -> &[(u32, f32)] {
        &self.entries[first as usize..end as usize]
    }

    /// Where the entries of a leaf are; nowhere if the node is not a leaf.
    pub(super) fn leaf(&self, node: u32) -> (u32, u32) {
        match self.nodes[node as usize] {
            Node::Leaf { first, end } => (first, end),
            Node::Above { .. } | Node::Among { .. } => (0, 0),
        }
    }

    /// How rows walk it together, if each follows one branch only.
    pub(super) fn walk(&self) -> Option<&Walk> {
        self.walk.as_ref()
    }

    /// Gets ready for walks, when all nodes are there.
    pub(super) fn finish(&mut self) {
        self.walk = Walk::new(self);
    }

    /// Adds the leaves that a row reaches; `waiting` is a scratch buffer.
    pub(super) fn leaves_of(
        &self,
        row: &[f32],
        waiting: &mut Vec<(u32, f64)>,
        leaves: &mut Vec<ReachedLeaf>,
    ) {
        waiting.clear();
        let (mut at, mut part) = (0, 1.0);
        loop {
            let (value, is_yes, share, no) = match self.nodes[at as usize] {
                Node::Above { input, threshold, share, no } => {
                    let value = row[input as usize];
                    (value, value > threshold, share, no)
                }
                Node::Among { input, codes, share, no } => {
                    let value = row[input as usize];
                    let is_yes = self.codes(codes).iter().any(|&code| code as f32 == value);
                    (value, is_yes, share, no)
                }
                Node::Leaf { first, end } => {
                    leaves.push(ReachedLeaf { first, end, part });
                    match waiting.pop() {
                        Some(next) => (at, part) = next,
                        None => return,
                    }
                    continue;
                }
            };
            at = match (value.is_nan(), is_yes) {
                (false, true) => at + 1,
                (false, false) => no,
                (true, _) if share >= 1.0 => at + 1,
                (true, _) if share <= 0.0 => no,
                (true, _) => {
                    waiting.push((no, part * (1.0 - f64::from(share))));
                    part *= f64::from(share);
                    at + 1
                }
            };
        }
    }
}
