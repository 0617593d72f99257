//! Walking a tree with several rows at a time, without branches.
//!
//! A walk is a chain of loads and comparisons that each wait for the one before; several rows at a
//! time fill the waiting. It works for trees in which every row, also with missing values, follows
//! one branch, and asks for at most one code: all trees of a forest.

use super::single::{Node, Tree};

/// How many rows walk together.
const TOGETHER: usize = 16;

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
        leaves.fill(0);
        if self.steps.len() == 1 {
            return;
        }
        for (group, at) in leaves.chunks_mut(TOGETHER).enumerate() {
            self.walk(&inputs[group * TOGETHER * width..], width, at);
        }
    }

    fn walk(&self, inputs: &[f32], width: usize, at: &mut [u32]) {
        let mut walking: [u32; TOGETHER] = std::array::from_fn(|row| row as u32);
        let mut count = at.len();
        while count > 0 {
            let mut left = 0;
            for place in 0..count {
                let row = walking[place] as usize;
                let here = at[row];
                let step = &self.steps[here as usize];
                let value = inputs[row * width + step.input as usize];
                let found = u32::from(value > step.value) * ABOVE
                    + u32::from(value == step.value) * EQUAL
                    + u32::from(value.is_nan()) * MISSING;
                let is_yes = u32::from(found & step.yes != 0);
                // Arithmetic instead of a branch that would be predicted wrongly half of the time.
                let next =
                    step.no.wrapping_add(is_yes.wrapping_mul((here + 1).wrapping_sub(step.no)));
                at[row] = next;
                walking[left] = row as u32;
                left += usize::from(next != here);
            }
            count = left;
        }
    }
}
