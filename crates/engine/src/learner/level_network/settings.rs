//! How level networks are trained.

use serde::{Deserialize, Serialize};

use crate::bad_configuration::BadConfiguration;

/// Settings of HMCN-F and HMCN-R.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelNetworkSettings {
    /// Units of every hidden layer; at least 1.
    pub units: usize,
    /// The share of the local outputs in the prediction; from 0 to 1.
    pub local: f64,
    /// The weight of the penalty for a child above its parent; at least 0.
    pub penalty: f64,
    /// The dropout rate of hidden units; from 0 to below 1.
    pub dropout: f64,
    /// The dropout rate of inputs, the same for all levels; from 0 to below 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub input_dropout: f64,
    /// Adam's learning rate; above 0.
    pub learning_rate: f64,
    /// The weight of the L2 term in the gradient; at least 0.
    pub weight_decay: f64,
    /// The batch size; at least 1.
    pub batch: usize,
}

/// Settings from before there was dropout of inputs are written, and counted, as they were.
fn is_zero(rate: &f64) -> bool {
    *rate == 0.0
}

impl Default for LevelNetworkSettings {
    fn default() -> Self {
        Self {
            units: 384,
            local: 0.5,
            penalty: 0.1,
            dropout: 0.6,
            input_dropout: 0.5,
            learning_rate: 1e-3,
            weight_decay: 0.0,
            batch: 128,
        }
    }
}

impl LevelNetworkSettings {
    /// What gives the published values of HMCN-F: all inputs are seen. HMCN-R stays below its
    /// published values so, because one cell sees the inputs at each level and learns them by heart.
    pub fn all_inputs() -> Self {
        Self { input_dropout: 0.0, ..Self::default() }
    }

    /// All invalid numbers; empty if the settings are valid.
    pub fn mistakes(&self) -> Vec<BadConfiguration> {
        let mut mistakes = Vec::new();
        let mut expect = |holds: bool, what, found: String, expected| {
            if !holds {
                mistakes.push(BadConfiguration { what, found, expected });
            }
        };
        let units = self.units;
        expect((1..=1 << 14).contains(&units), "units", units.to_string(), "from 1 to 16384");
        let local = self.local;
        expect((0.0..=1.0).contains(&local), "the local share", local.to_string(), "in [0, 1]");
        let penalty = self.penalty;
        let holds = (0.0..=1000.0).contains(&penalty);
        expect(holds, "the penalty", penalty.to_string(), "in [0, 1000]");
        let dropout = self.dropout;
        expect((0.0..1.0).contains(&dropout), "dropout", dropout.to_string(), "in [0, 1)");
        let inputs = self.input_dropout;
        expect((0.0..1.0).contains(&inputs), "input dropout", inputs.to_string(), "in [0, 1)");
        let rate = self.learning_rate;
        expect(rate > 0.0 && rate <= 10.0, "the learning rate", rate.to_string(), "in (0, 10]");
        let decay = self.weight_decay;
        expect((0.0..=10.0).contains(&decay), "the weight decay", decay.to_string(), "in [0, 10]");
        let batch = self.batch;
        expect((1..=1 << 16).contains(&batch), "the batch size", batch.to_string(), "1 to 65536");
        mistakes
    }
}
