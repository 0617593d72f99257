//! Permutation importance: how much worse a model gets when one column is shuffled.
//!
//! A column is shuffled among the rows, which keeps its values but breaks what they say about a row;
//! the columns that a nominal column is encoded to move together. The importance of the column is what
//! the metric loses, on average over several shuffles. Columns that say the same can stand in for
//! each other, so each of them may seem unimportant.
//!
//! Invariant: the result depends on the model, the rows and the seed, not on the number of threads
//! nor on which other columns are measured.

mod permuted;

use std::ops::Range;

use rayon::prelude::*;
use rulebound_core::metrics::mean_and_deviation;
use serde::Serialize;

use crate::configuration::LabelPolicy;
use crate::dataset::Dataset;
use crate::evaluate::EvaluateError;
use crate::model::Model;
use permuted::Permuter;

pub use permuted::Measured;

/// What is measured.
#[derive(Clone, PartialEq, Debug)]
pub struct ImportanceOptions {
    /// Shuffles of each column; at least 1. Default: 5.
    pub repeats: usize,
    /// The seed of the shuffles. Default: 0.
    pub seed: u64,
    /// The columns to measure, by their place in the model's pipeline; those with the largest weights
    /// first, see [`largest_weights`].
    pub columns: Vec<usize>,
    /// What to do with labels that break rules; unset: what training did.
    pub label_policy: Option<LabelPolicy>,
}

impl Default for ImportanceOptions {
    fn default() -> Self {
        Self { repeats: 5, seed: 0, columns: Vec::new(), label_policy: None }
    }
}

/// The importance of some columns of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Importance {
    /// How many rows were used.
    pub rows: usize,
    /// The metrics with no column shuffled.
    pub intact: Measured,
    /// The columns in the requested order.
    pub columns: Vec<ColumnImportance>,
}

/// The importance of one column.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnImportance {
    /// Its place in the model's pipeline.
    pub column: usize,
    /// What the micro-averaged AU(PRC) loses.
    pub micro: Option<Loss>,
    /// What the average precision of each class loses.
    pub classes: Vec<Option<Loss>>,
}

/// The mean of what is lost over the shuffles, and its standard deviation (0 for one shuffle).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Loss {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, divided by one less than the number of shuffles.
    pub deviation: f64,
}

impl Loss {
    /// `None` if a value is undefined.
    fn new(intact: Option<f64>, shuffled: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let intact = intact?;
        let lost: Option<Vec<f64>> = shuffled.map(|value| Some(intact - value?)).collect();
        let (mean, deviation) = mean_and_deviation(&lost?);
        Some(Self { mean, deviation: deviation.unwrap_or(0.0) })
    }
}

/// The places of the `most` columns of a model whose weights in the first layer are largest together
/// (by their sum of squares, over all members), largest first. Columns without weights, as those of
/// trees, are in their own order.
pub fn largest_weights(model: &Model, most: usize) -> Vec<usize> {
    let columns = model.pipeline().columns();
    let mut sizes: Vec<(usize, f64)> = (0..columns.len()).map(|place| (place, 0.0)).collect();
    for part in model.parts() {
        let mut squares = vec![0.0f64; part.pipeline().width()];
        for network in part.learner().networks() {
            let first = &network.layers()[0];
            let inputs = first.inputs().max(1);
            for (at, weight) in first.weights().enumerate() {
                squares[at % inputs] += f64::from(weight).powi(2);
            }
        }
        let mut start = 0;
        for ((_, size), column) in sizes.iter_mut().zip(part.pipeline().columns()) {
            *size += squares[start..start + column.width()].iter().sum::<f64>();
            start += column.width();
        }
    }
    sizes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    sizes.into_iter().take(most).map(|(place, _)| place).collect()
}

impl Model {
    /// Measures how much it depends on columns, on rows of a data set. `progress` is called after each
    /// column.
    ///
    /// ```
    /// use rulebound::Trainer;
    /// use rulebound::dataset::{Builtin, Split, Step};
    /// use rulebound::importance::{ImportanceOptions, largest_weights};
    /// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0)?;
    /// let model = Trainer::new().hidden([4]).epochs(1).fit(&data)?;
    /// let options =
    ///     ImportanceOptions { repeats: 2, columns: largest_weights(&model, 10), ..ImportanceOptions::default() };
    /// let found = model.importance(&data, data.split(Split::Test).unwrap(), &options, || ())?;
    /// assert_eq!(found.columns.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the data lacks a feature or a class of the model, or a score is NaN.
    ///
    /// # Panics
    /// If a column is not one of the model's.
    pub fn importance(
        &self,
        data: &Dataset,
        rows: Range<usize>,
        options: &ImportanceOptions,
        progress: impl Fn() + Sync,
    ) -> Result<Importance, EvaluateError> {
        let policy = options.label_policy.unwrap_or(self.configuration().labels);
        let scored = self.score_under(policy, data, rows.clone())?;
        let permuter = Permuter::new(self, data, rows.clone(), &scored)?;
        let intact = permuter.measure(scored.scores())?;
        let of_column = |&column: &usize| {
            let repeats = options.repeats.max(1);
            let shuffled: Result<Vec<Measured>, EvaluateError> = (0..repeats)
                .map(|repeat| permuter.shuffled(column, repeat, options.seed))
                .collect();
            let shuffled = shuffled?;
            progress();
            Ok(ColumnImportance {
                column,
                micro: Loss::new(intact.micro, shuffled.iter().map(|one| one.micro)),
                classes: (0..intact.classes.len())
                    .map(|class| {
                        let values = shuffled.iter().map(|one| one.classes[class]);
                        Loss::new(intact.classes[class], values)
                    })
                    .collect(),
            })
        };
        let columns: Result<Vec<_>, EvaluateError> =
            options.columns.par_iter().map(of_column).collect();
        let columns = columns?;
        Ok(Importance { rows: rows.len(), intact, columns })
    }
}
