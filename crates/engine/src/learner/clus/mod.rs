//! Predictive clustering trees, alone or bagged.
//!
//! A tree for all classes at once (Vens et al. 2008; its ensembles: Schietgat et al. 2010): a split
//! is worth how much it reduces the variance of the label sets, in which a class counts less with
//! its depth in the hierarchy. A leaf predicts the share of its rows that have a class, so that on a
//! hierarchy every prediction is coherent by itself. Where a value is missing, a row follows both
//! branches in the proportion of the rows whose value is known.
//!
//! A single tree is that of CLUS, the authors' program, test for test.

mod class_weights;
mod f_test;
mod grow;
mod rows;
mod search;
mod settings;
mod sums;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use self::f_test::FTest;
use self::grow::grow;
use self::rows::TreeRows;
pub use self::settings::ClusSettings;
use super::fitted::{Fitted, counted};
use super::named_tensors::NamedTensors;
use super::rows::{FitError, FitRows};
use super::tree::{Node, Trees, bootstrap};
use super::watch::Watch;
pub(super) use settings::METHODS;

/// A predictive clustering tree, or the mean of several.
#[derive(Clone, PartialEq, Debug)]
pub struct Clus {
    trees: Trees,
}

impl Clus {
    /// Grows the trees.
    ///
    /// # Errors
    /// If it is to stop, or there are no rows.
    pub fn fit(
        rows: &FitRows<'_>,
        settings: &ClusSettings,
        seed: u64,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        if rows.rows() == 0 {
            return Err(FitError::Unsuitable {
                method: "clus",
                what: "there are no rows to train on".to_owned(),
                hint: "give it at least one",
            });
        }
        let test = FTest::new(settings.f_test);
        let tree_rows = TreeRows::new(rows);
        let finished = AtomicUsize::new(0);
        let trees = (0..settings.trees).into_par_iter().map(|tree| {
            let weights = match settings.trees {
                1 => vec![1.0; rows.rows()],
                _ => bootstrap(rows.rows(), seed, tree as u32),
            };
            let tree = grow(&tree_rows, &weights, settings, &test, watch)?;
            watch.done(finished.fetch_add(1, Ordering::Relaxed) + 1, settings.trees)?;
            Ok(tree)
        });
        let trees = trees.collect::<Result<_, FitError>>()?;
        let TreeRows { sets, .. } = tree_rows;
        Ok(Self { trees: Trees::new(trees, sets, rows.width(), rows.classes()) })
    }

    /// The number of inputs of a row.
    pub fn inputs(&self) -> usize {
        self.trees.inputs()
    }

    /// The number of trees.
    pub fn trees(&self) -> usize {
        self.trees.trees().len()
    }

    /// The trees of these arrays.
    ///
    /// # Errors
    /// A sentence about what is wrong with them.
    pub fn from_tensors(
        tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        Ok(Self { trees: Trees::from_tensors(tensors, inputs, classes)? })
    }

    /// A tree as text, one node per line in preorder (first `yes`, then `no`): `3 > 0.5` for input
    /// 3, `4 in {0,2}` for codes, or `leaf`.
    ///
    /// # Panics
    /// If there is no such tree.
    pub fn outline(&self, tree: usize) -> String {
        let tree = &self.trees.trees()[tree];
        let line = |node: &Node| match *node {
            Node::Above { input, threshold, .. } => format!("{input} > {threshold}\n"),
            Node::Among { input, codes, .. } => {
                let codes: Vec<_> = tree.codes(codes).iter().map(ToString::to_string).collect();
                format!("{input} in {{{}}}\n", codes.join(","))
            }
            Node::Leaf { .. } => "leaf\n".to_owned(),
        };
        tree.nodes().iter().map(line).collect()
    }
}

impl Fitted for Clus {
    fn describe(&self, _members: usize) -> String {
        counted(self.trees(), "predictive clustering tree")
    }

    fn classes(&self) -> usize {
        self.trees.classes()
    }

    fn parameters(&self) -> usize {
        self.trees.tests()
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        self.trees.logits(inputs, logits);
    }

    fn tensors(&self) -> NamedTensors {
        self.trees.tensors()
    }
}
