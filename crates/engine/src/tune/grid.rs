//! Grids: the values of each axis, and all or a random sample of their combinations.

use super::point::Point;
use crate::random::{Draws, Purpose};
use crate::train::{BadConfiguration, Configuration};

/// The values to try for each tuned hyperparameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    /// Units of each of the two hidden layers.
    pub hidden: Vec<usize>,
    /// Learning rates.
    pub learning_rates: Vec<f64>,
    /// Dropout rates.
    pub dropouts: Vec<f64>,
    /// Weight decays: weights of the L2 term.
    pub weight_decays: Vec<f64>,
    /// Batch sizes.
    pub batches: Vec<usize>,
}

/// A grid with too many points to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the grid has more than {most} points")]
pub struct TooManyPoints {
    /// The maximum number of points.
    pub most: usize,
}

/// The maximum number of points of a grid.
const MOST: usize = 1_000_000;

impl Grid {
    /// All values that no network can be trained with, each reported once.
    pub fn mistakes(&self, base: &Configuration) -> Vec<BadConfiguration> {
        let base = || base.clone();
        let hidden = self.hidden.iter().map(|&units| vec![units; Point::LAYERS]);
        let hidden = hidden.map(|hidden| Configuration { hidden, ..base() });
        let rates = self.learning_rates.iter();
        let rates = rates.map(|&learning_rate| Configuration { learning_rate, ..base() });
        let dropouts = self.dropouts.iter().map(|&dropout| Configuration { dropout, ..base() });
        let decays = self.weight_decays.iter();
        let decays = decays.map(|&weight_decay| Configuration { weight_decay, ..base() });
        let batches = self.batches.iter().map(|&batch| Configuration { batch, ..base() });
        let mut mistakes: Vec<BadConfiguration> = Vec::new();
        for configuration in hidden.chain(rates).chain(dropouts).chain(decays).chain(batches) {
            for mistake in configuration.mistakes() {
                // By text: a learning rate of NaN does not equal itself.
                if mistakes.iter().all(|known| known.to_string() != mistake.to_string()) {
                    mistakes.push(mistake);
                }
            }
        }
        mistakes
    }

    /// All points: small networks first, then in the order of the axes. Duplicate values count
    /// once; if an axis has no values the grid has no points.
    ///
    /// # Errors
    /// [`TooManyPoints`].
    pub fn points(&self) -> Result<Vec<Point>, TooManyPoints> {
        let too_many = TooManyPoints { most: MOST };
        let lengths = [
            self.hidden.len(),
            self.learning_rates.len(),
            self.dropouts.len(),
            self.weight_decays.len(),
            self.batches.len(),
        ];
        // Quadratic search for duplicates: axes are short.
        if lengths.iter().any(|&length| length > 10_000) {
            return Err(too_many);
        }
        let mut hidden = self.hidden.clone();
        hidden.sort_unstable();
        let (hidden, batches) = (distinct(&hidden), distinct(&self.batches));
        let rates = distinct(&self.learning_rates);
        // Added to zero, -0 is 0.
        let positive = |axis: &[f64]| axis.iter().map(|value| value + 0.0).collect::<Vec<_>>();
        let dropouts = distinct(&positive(&self.dropouts));
        let decays = distinct(&positive(&self.weight_decays));
        let lengths = [hidden.len(), rates.len(), dropouts.len(), decays.len(), batches.len()];
        let count = lengths.iter().try_fold(1_usize, |count, &length| count.checked_mul(length));
        if count.is_none_or(|count| count > MOST) {
            return Err(too_many);
        }
        let mut points = Vec::with_capacity(count.unwrap_or(0));
        for &hidden in &hidden {
            for &learning_rate in &rates {
                for &dropout in &dropouts {
                    for &weight_decay in &decays {
                        points.extend(batches.iter().map(|&batch| Point {
                            hidden,
                            learning_rate,
                            dropout,
                            weight_decay,
                            batch,
                        }));
                    }
                }
            }
        }
        Ok(points)
    }

    /// This many distinct points, drawn at random; all of them if there are no more. The points of
    /// a smaller budget are the first ones of a larger budget.
    ///
    /// # Errors
    /// [`TooManyPoints`].
    pub fn random(&self, budget: usize, seed: u64) -> Result<Vec<Point>, TooManyPoints> {
        let points = self.points()?;
        let order = Draws::new(seed, Purpose::Search).shuffle(points.len());
        Ok(order.into_iter().take(budget).map(|at| points[at as usize]).collect())
    }
}

fn distinct<T: PartialEq + Copy>(values: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(values.len());
    for &value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}
