//! Forests: many random trees for all classes at once, averaged.
//!
//! Extremely randomised trees (Geurts et al. 2006) by default, or a random forest (Breiman 2001).
//! The splits are valued on a random sketch of the labels, the leaves keep the labels themselves: on
//! a hierarchy the mean is coherent by itself. A missing number goes where the mean of its column
//! goes; a nominal input is tested code by code, and a missing code is none of them.

mod grow;
mod rows;
mod settings;
mod sketch;
mod split;
mod stream;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use self::grow::grow;
use self::rows::ForestRows;
pub use self::settings::{ForestSettings, SplitThresholds};
use self::sketch::Sketch;
use super::fitted::Fitted;
use super::named_tensors::NamedTensors;
use super::rows::{FitError, FitRows};
use super::tree::{Trees, bootstrap};
use super::watch::Watch;
use crate::random::{Draws, Purpose};
pub(super) use settings::METHODS;

/// A forest.
#[derive(Clone, PartialEq, Debug)]
pub struct Forest {
    trees: Trees,
}

impl Forest {
    /// Grows the trees.
    ///
    /// # Errors
    /// If it is to stop, or there are no rows.
    pub fn fit(
        rows: &FitRows<'_>,
        settings: &ForestSettings,
        seed: u64,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        if rows.rows() == 0 {
            return Err(FitError::Unsuitable {
                method: "forest",
                what: "there are no rows to train on".to_owned(),
                hint: "give it at least one",
            });
        }
        let forest_rows = ForestRows::new(rows);
        let finished = AtomicUsize::new(0);
        let trees = (0..settings.trees).into_par_iter().map(|tree| {
            let weights = match settings.bagging {
                true => bootstrap(rows.rows(), seed, tree as u32),
                false => vec![1.0; rows.rows()],
            };
            let draws = Draws::in_epoch(seed, Purpose::TreeSplits, tree as u32);
            let directions = Draws::in_epoch(seed, Purpose::Sketch, tree as u32);
            let sketch = Sketch::new(&forest_rows, settings.sketch, directions);
            let tree = grow(&forest_rows, &weights, &sketch, settings, draws, watch)?;
            watch.done(finished.fetch_add(1, Ordering::Relaxed) + 1, settings.trees)?;
            Ok(tree)
        });
        let trees = trees.collect::<Result<_, FitError>>()?;
        let ForestRows { sets, .. } = forest_rows;
        Ok(Self { trees: Trees::new(trees, sets, rows.width(), rows.classes()) })
    }

    /// One logit per training row and class, from the trees that were not grown on the row; NaN
    /// where there is none. The forest must have been fitted with bagging on these rows and seed.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn oob_logits(&self, rows: &FitRows<'_>, seed: u64, logits: &mut [f32]) {
        let drawn: Vec<Vec<f64>> = (0..self.trees.trees().len())
            .map(|tree| bootstrap(rows.rows(), seed, tree as u32))
            .collect();
        self.trees.logits_where(rows.inputs(), logits, |tree, row| drawn[tree][row] == 0.0);
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
}

impl Fitted for Forest {
    fn describe(&self, _members: usize) -> String {
        format!("a forest of {} trees", self.trees())
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
