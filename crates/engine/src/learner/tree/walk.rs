//! Walking a tree with several rows at a time, without branches.
//!
//! A walk is a chain of loads and comparisons that each wait for the one before; several rows at a
//! time fill the waiting. It works for trees in which every row, also with missing values, follows
//! one branch, and asks for at most one code: all trees of a forest.

use std::hint::select_unpredictable;

use super::single::{Node, Tree};

/// How many rows walk together: their nodes stay in registers.
const TOGETHER: usize = 8;

/// What a comparison finds; a node says yes to some of it.
const ABOVE: u32 = 1;
const EQUAL: u32 = 2;
const MISSING: u32 = 4;

/// A node for walking. A leaf leads to itself.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Step {
    input: u32,
    value: f32,
    yes: u32,
    no: u32,
}

/// The nodes of a tree for walking.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::learner) struct Walk {
    steps: Vec<Step>,
}

impl Walk {
    /// The walk of a tree, if every row follows one branch.
    pub(super) fn new(tree: &Tree) -> Option<Self> {
        let missing = |share: f32| match share {
            0.0 => Some(0),
            1.0 => Some(MISSING),
            _ => None,
        };
        let step = |(at, node): (u32, &Node)| {
            Some(match *node {
                Node::Above { input, threshold, share, no } => {
                    Step { input, value: threshold, yes: ABOVE | missing(share)?, no }
                }
                Node::Among { input, codes, share, no } => {
                    let [code] = *tree.codes(codes) else { return None };
                    Step { input, value: code as f32, yes: EQUAL | missing(share)?, no }
                }
                Node::Leaf { .. } => Step { input: 0, value: 0.0, yes: 0, no: at },
            })
        };
        Some(Self { steps: (0..).zip(&tree.nodes).map(step).collect::<Option<_>>()? })
    }

    /// The leaf that each row reaches, by its node.
    pub(super) fn leaves(&self, inputs: &[f32], width: usize, leaves: &mut [u32]) {
        if self.steps.len() == 1 {
            return leaves.fill(0);
        }
        for (group, leaves) in leaves.chunks_mut(TOGETHER).enumerate() {
            let first = group * TOGETHER;
            // Where there are fewer rows, the last one walks more than once.
            let row = |at: usize| first + at.min(leaves.len() - 1);
            let rows = std::array::from_fn(|at| &inputs[row(at) * width..][..width]);
            leaves.copy_from_slice(&self.walk(rows)[..leaves.len()]);
        }
    }

    fn walk(&self, rows: [&[f32]; TOGETHER]) -> [u32; TOGETHER] {
        let mut at = [0; TOGETHER];
        loop {
            let mut moved = 0;
            for (at, row) in at.iter_mut().zip(rows) {
                let step = self.steps[*at as usize];
                let value = row[step.input as usize];
                let found = u32::from(value > step.value) * ABOVE
                    + u32::from(value == step.value) * EQUAL
                    + u32::from(value.is_nan()) * MISSING;
                // No branch, which would be predicted wrongly half of the time.
                let next = select_unpredictable(found & step.yes != 0, *at + 1, step.no);
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                return at;
            }
        }
    }
}
