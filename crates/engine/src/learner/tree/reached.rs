//! The leaves that rows reach in each of several trees.

use super::single::Tree;

/// A leaf that a row reaches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ReachedLeaf {
    /// The first of its entries in the tree.
    pub(super) first: u32,
    /// Where they end.
    pub(super) end: u32,
    /// The part of the row that reaches it.
    pub(super) part: f64,
}

/// The leaves that some rows reach, tree by tree.
pub(super) struct Reached {
    rows: usize,
    /// Where the leaves of a row in a tree end; tree-major.
    ends: Vec<u32>,
    leaves: Vec<ReachedLeaf>,
}

impl Reached {
    /// Walks all trees with these rows, `width` inputs each.
    pub(super) fn new(trees: &[Tree], inputs: &[f32], width: usize, rows: usize) -> Self {
        let (mut ends, mut leaves) = (Vec::new(), Vec::new());
        let (mut nodes, mut waiting) = (vec![0; rows], Vec::new());
        ends.reserve_exact(trees.len() * rows);
        leaves.reserve(trees.len() * rows);
        for tree in trees {
            match tree.walk() {
                Some(walk) => {
                    walk.leaves(inputs, width, &mut nodes);
                    for &node in &nodes {
                        let (first, end) = tree.leaf(node);
                        leaves.push(ReachedLeaf { first, end, part: 1.0 });
                        ends.push(leaves.len() as u32);
                    }
                }
                None => {
                    for row in 0..rows {
                        let row = &inputs[row * width..][..width];
                        tree.leaves_of(row, &mut waiting, &mut leaves);
                        ends.push(leaves.len() as u32);
                    }
                }
            }
        }
        Self { rows, ends, leaves }
    }

    /// The leaves of a row in a tree.
    pub(super) fn leaves(&self, tree: usize, row: usize) -> &[ReachedLeaf] {
        let at = tree * self.rows + row;
        let first = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.leaves[first as usize..self.ends[at] as usize]
    }
}
