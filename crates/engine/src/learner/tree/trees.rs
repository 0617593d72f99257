//! Trees over the same label sets, and the mean of what they say.

use rayon::prelude::*;

use super::label_sets::LabelSets;
use super::single::Tree;

/// How many rows a thread predicts at a time.
const ROWS: usize = 32;

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
        let rows = inputs.chunks(ROWS * self.inputs.max(1)).collect::<Vec<_>>();
        let count = logits.len() / self.classes;
        logits.par_chunks_mut(ROWS * self.classes).enumerate().for_each(|(chunk, logits)| {
            let inputs = rows.get(chunk).copied().unwrap_or(&[]);
            let mut mean = Mean::new(self);
            for (row, logits) in logits.chunks_mut(self.classes).enumerate() {
                let place = chunk * ROWS + row;
                debug_assert!(place < count);
                let inputs = &inputs[row * self.inputs..][..self.inputs];
                mean.logits(inputs, logits, |tree| counts(tree, place));
            }
        });
    }
}

/// What is needed to average the trees for a row.
struct Mean<'a> {
    trees: &'a Trees,
    weights: Vec<f64>,
    met: Vec<u32>,
    sums: Vec<f64>,
    waiting: Vec<(u32, f64)>,
}

impl<'a> Mean<'a> {
    fn new(trees: &'a Trees) -> Self {
        let weights = vec![0.0; trees.sets.len()];
        let sums = vec![0.0; trees.classes];
        Self { trees, weights, met: Vec::new(), sums, waiting: Vec::new() }
    }

    fn logits(&mut self, row: &[f32], logits: &mut [f32], counts: impl Fn(usize) -> bool) {
        let Self { trees, weights, met, sums, waiting } = self;
        for (_, tree) in trees.trees.iter().enumerate().filter(|(tree, _)| counts(*tree)) {
            tree.leaves_of(row, waiting, |entries, part| {
                for &(set, share) in entries {
                    let weight = &mut weights[set as usize];
                    if *weight == 0.0 {
                        met.push(set);
                    }
                    *weight += part * f64::from(share);
                }
            });
        }
        // Each class is summed in the same order as the total, so a class of all sets is exactly
        // the total, and an ancestor is never below its descendants.
        sums.fill(0.0);
        let mut total = 0.0;
        for set in met.drain(..) {
            let weight = std::mem::take(&mut weights[set as usize]);
            total += weight;
            for &class in trees.sets.set(set) {
                sums[class as usize] += weight;
            }
        }
        for (logit, &sum) in logits.iter_mut().zip(&*sums) {
            *logit = libm::log(sum / (total - sum)) as f32;
        }
    }
}
