//! Trees over the same label sets, and the mean of what they say.

use rayon::prelude::*;

use super::label_sets::LabelSets;
use super::single::{Node, Tree};

/// How many rows a thread predicts at a time: a tree is loaded once for all of them.
const ROWS: usize = 64;

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

    /// The number of inputs of a row.
    pub(in crate::learner) fn inputs(&self) -> usize {
        self.inputs
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
            let inputs = &inputs[first * width..][..logits.len() / classes * width];
            let mut means = Means::new(self, logits.len() / classes);
            // Tree by tree, so that a tree stays in the cache for all rows.
            for (at, tree) in self.trees.iter().enumerate() {
                means.add(tree, inputs, width, |row| counts(at, first + row));
            }
            for (row, logits) in logits.chunks_exact_mut(classes).enumerate() {
                means.logits(row, logits);
            }
        });
    }
}

/// What the trees say of some rows: the weight of each label set.
struct Means<'a> {
    sets: &'a LabelSets,
    weights: Vec<f64>,
    met: Vec<Vec<u32>>,
    sums: Vec<f64>,
    leaves: Vec<u32>,
    waiting: Vec<(u32, f64)>,
}

impl<'a> Means<'a> {
    fn new(trees: &'a Trees, rows: usize) -> Self {
        let weights = vec![0.0; rows * trees.sets.len()];
        let sums = vec![0.0; trees.classes];
        let met = vec![Vec::new(); rows];
        Self { sets: &trees.sets, weights, met, sums, leaves: vec![0; rows], waiting: Vec::new() }
    }

    fn add(&mut self, tree: &Tree, inputs: &[f32], width: usize, counts: impl Fn(usize) -> bool) {
        let leaves = tree.walk().map(|walk| {
            walk.leaves(inputs, width, &mut self.leaves);
            &self.leaves
        });
        for row in (0..self.met.len()).filter(|&row| counts(row)) {
            let weights = &mut self.weights[row * self.sets.len()..][..self.sets.len()];
            let met = &mut self.met[row];
            let mut visit = |entries: &[(u32, f32)], part: f64| {
                for &(set, share) in entries {
                    let weight = &mut weights[set as usize];
                    if *weight == 0.0 {
                        met.push(set);
                    }
                    *weight += part * f64::from(share);
                }
            };
            match leaves {
                Some(leaves) => visit(tree.leaf(leaves[row]), 1.0),
                None => {
                    let inputs = &inputs[row * width..][..width];
                    tree.leaves_of(inputs, &mut self.waiting, visit);
                }
            }
        }
    }

    /// Each class is summed in the same order as the total, so a class of all sets is exactly the
    /// total, and an ancestor is never below its descendants.
    fn logits(&mut self, row: usize, logits: &mut [f32]) {
        let weights = &mut self.weights[row * self.sets.len()..][..self.sets.len()];
        self.sums.fill(0.0);
        let mut total = 0.0;
        for &set in &self.met[row] {
            let weight = std::mem::take(&mut weights[set as usize]);
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
