//! One combination of the tuned hyperparameters.

use std::fmt;

use serde::Serialize;

use crate::train::{Configuration, Stopping};

/// A point of a grid.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Point {
    /// Units of each of the two hidden layers.
    pub hidden: usize,
    /// Adam's learning rate.
    pub learning_rate: f64,
    /// The dropout rate of the hidden layers.
    pub dropout: f64,
    /// The weight of the L2 term in the gradient.
    pub weight_decay: f64,
    /// The batch size.
    pub batch: usize,
}

/// Identifies a point, to the last bit.
pub(super) type Key = (usize, u64, u64, u64, usize);

impl Point {
    /// The number of hidden layers of every trial, as in the paper.
    pub const LAYERS: usize = 2;

    /// The configuration of a trial of this point. There is no second phase, because it would not
    /// be measured.
    ///
    /// ```
    /// use rulebound::train::Configuration;
    /// use rulebound::tune::Point;
    /// let point =
    ///     Point { hidden: 250, learning_rate: 1e-3, dropout: 0.6, weight_decay: 0.0, batch: 4 };
    /// let configuration = point.configuration(&Configuration::default());
    /// assert_eq!(configuration.hidden, [250, 250]);
    /// ```
    pub fn configuration(&self, base: &Configuration) -> Configuration {
        let stopping = match &base.stopping {
            Stopping::Early(early) => {
                let mut early = early.clone();
                early.retrain = false;
                Stopping::Early(early)
            }
            fixed @ (Stopping::Epochs(_) | Stopping::EpochsOfEach(_)) => fixed.clone(),
        };
        Configuration {
            hidden: vec![self.hidden; Self::LAYERS],
            learning_rate: self.learning_rate,
            dropout: self.dropout,
            weight_decay: self.weight_decay,
            batch: self.batch,
            stopping,
            ..base.clone()
        }
    }

    pub(super) fn key(&self) -> Key {
        let [rate, dropout, decay] =
            [self.learning_rate, self.dropout, self.weight_decay].map(f64::to_bits);
        (self.hidden, rate, dropout, decay, self.batch)
    }
}

/// `250-0.001-0.7-0.00001-4`: the numbers in the order of the fields.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hidden, learning_rate, dropout, weight_decay, batch } = self;
        write!(f, "{hidden}-{learning_rate}-{dropout}-{weight_decay}-{batch}")
    }
}
