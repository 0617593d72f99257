//! Trees over the same label sets, and the mean of what they say.

use rayon::prelude::*;

use super::label_sets::LabelSets;
use super::reached::Reached;
use super::single::{Node, Tree};

/// How many rows a thread predicts at a time: a tree is loaded once for all of them.
const ROWS: usize = 128;

/// Trees over the same label sets.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::learner) struct Trees {
    pub(super) trees: Vec<Tree>,
    pub(super) sets: LabelSets,
    pub(super) inputs: usize,
    pub(super) classes: usize,
}

impl Trees {
    /// These trees.
    pub(in crate::learner) fn new(
        trees: Vec<Tree>,
        sets: LabelSets,
        inputs: usize,
        classes: usize,
    ) -> Self {
        Self { trees, sets, inputs, classes }
    }

    /// Each tree.
    pub(in crate::learner) fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// The number of classes.
    pub(in crate::learner) fn classes(&self) -> usize {
        self.classes
    }

    /// The number of tests in all trees.
    pub(in crate::learner) fn tests(&self) -> usize {
        let is_test = |node: &&Node| !matches!(node, Node::Leaf { .. });
        self.trees.iter().map(|tree| tree.nodes().iter().filter(is_test).count()).sum()
    }

    /// One logit per row and class: that of the mean over all trees.
    pub(in crate::learner) fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        self.logits_where(inputs, logits, |_, _| true);
    }

    /// One logit per row and class: that of the mean over the trees for which
    /// `counts(tree, row)` holds; NaN where there is none.
    pub(in crate::learner) fn logits_where(
        &self,
        inputs: &[f32],
        logits: &mut [f32],
        counts: impl Fn(usize, usize) -> bool + Sync,
    ) {
        if self.classes == 0 || logits.is_empty() {
            return;
        }
        let (classes, width) = (self.classes, self.inputs);
        logits.par_chunks_mut(ROWS * classes).enumerate().for_each(|(chunk, logits)| {
            let first = chunk * ROWS;
            let rows = logits.len() / classes;
            let inputs = &inputs[first * width..][..rows * width];
            // Tree by tree, so that a tree stays in the cache for all rows; then row by row, so that
            // the weights of the label sets do.
            let reached = Reached::new(&self.trees, inputs, width, rows);
            let mut mean = Mean::new(self);
            for (row, logits) in logits.chunks_exact_mut(classes).enumerate() {
                for (at, tree) in self.trees.iter().enumerate() {
                    if counts(at, first + row) {
                        for leaf in reached.leaves(at, row) {
                            mean.add(tree.entries(leaf.first, leaf.end), leaf.part);
                        }
                    }
                }
                mean.take_logits(logits);
            }
        });
    }
}

/// What the trees say of a row: the weight of each label set.
struct Mean<'a> {
    sets: &'a LabelSets,
    weights: Vec<f64>,
    met: Vec<u32>,
    sums: Vec<f64>,
}

impl<'a> Mean<'a> {
    fn new(trees: &'a Trees) -> Self {
        let (weights, sums) = (vec![0.0; trees.sets.len()], vec![0.0; trees.classes]);
        Self { sets: &trees.sets, weights, met: Vec::new(), sums }
    }

    fn add(&mut self, entries: &[(u32, f32)], part: f64) {
        for &(set, share) in entries {
            let weight = &mut self.weights[set as usize];
            if *weight == 0.0 {
                self.met.push(set);
            }
            *weight += part * f64::from(share);
        }
    }

    /// Each class is summed in the same order as the total, so a class of all sets is exactly the
    /// total, and an ancestor is never below its descendants.
    fn take_logits(&mut self, logits: &mut [f32]) {
        self.sums.fill(0.0);
        let mut total = 0.0;
        for set in self.met.drain(..) {
            let weight = std::mem::take(&mut self.weights[set as usize]);
            total += weight;
            for &class in self.sets.set(set) {
                self.sums[class as usize] += weight;
            }
        }
        for (logit, &sum) in logits.iter_mut().zip(&self.sums) {
            *logit = match sum == 0.0 && total > 0.0 {
                true => f32::NEG_INFINITY,
                false => (sum / (total - sum)).ln() as f32,
            };
        }
    }
}
