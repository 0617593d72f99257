//! How level networks are trained.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{LevelNetwork, LevelWiring};
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, NamedTensors,
    Restored, learner_options,
};

/// Settings of HMCN-F and HMCN-R.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelNetworkSettings {
    /// Which of the two; the name of the method says it in configurations.
    #[serde(skip)]
    pub wiring: LevelWiring,
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
            wiring: LevelWiring::FeedForward,
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
    /// HMCN-R.
    pub fn recurrent() -> Self {
        Self { wiring: LevelWiring::Recurrent, ..Self::default() }
    }

    /// What gives the published values of HMCN-F: all inputs are seen. HMCN-R stays below its
    /// published values so, because one cell sees the inputs at each level and learns them by heart.
    pub fn all_inputs() -> Self {
        Self { input_dropout: 0.0, ..Self::default() }
    }
}

const OPTIONS: &[LearnerOption] = learner_options!(LevelNetworkSettings:
    Number "local-share" "SHARE"
        "share of the outputs of the levels in the prediction; the outputs for all classes have the rest [default: 0.5]"
        |of, n| of.local = n;
    Number "penalty" "W" "weight of the penalty for a class above its parent [default: 0.1]" |of, n| of.penalty = n;
    Number "input-dropout" "RATE"
        "dropout rate of the features [default: 0.5; with --preset paper, 0 for hmcn-f and 0.2 for hmcn-r]"
        |of, n| of.input_dropout = n;
    Count "hidden" "" "" |of, n| of.units = n;
    Number "dropout" "" "" |of, n| of.dropout = n;
    Number "learning-rate" "" "" |of, n| of.learning_rate = n;
    Number "weight-decay" "" "" |of, n| of.weight_decay = n;
    Count "batch" "" "" |of, n| of.batch = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 2] = [
    LearnerMethod {
        name: "hmcn-f",
        about: "Hierarchies: a network with a layer and outputs for each level: HMCN-F",
        settings: || LevelNetworkSettings::default().into(),
        options: OPTIONS,
    },
    LearnerMethod {
        name: "hmcn-r",
        about: "Hierarchies: a network with a cell that passes through the levels: HMCN-R",
        settings: || LevelNetworkSettings::recurrent().into(),
        options: OPTIONS,
    },
];

impl Fit for LevelNetworkSettings {
    fn kind(&self) -> &'static str {
        self.wiring.method()
    }

    fn section(&self) -> (&'static str, u32) {
        ("level-network", 1)
    }

    fn set_kind(&mut self, kind: &str) {
        let recurrent = LevelWiring::Recurrent;
        self.wiring = if kind == recurrent.method() { recurrent } else { LevelWiring::FeedForward };
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let (units, batch, rate, decay) =
            (self.units, self.batch, self.learning_rate, self.weight_decay);
        let (local, penalty) = (self.local, self.penalty);
        let (dropout, inputs) = (self.dropout, self.input_dropout);
        Checks::new()
            .expect((1..=1 << 14).contains(&units), "units", units, "from 1 to 16384")
            .expect((0.0..=1.0).contains(&local), "the local share", local, "in [0, 1]")
            .expect((0.0..=1000.0).contains(&penalty), "the penalty", penalty, "in [0, 1000]")
            .expect((0.0..1.0).contains(&dropout), "dropout", dropout, "in [0, 1)")
            .expect((0.0..1.0).contains(&inputs), "input dropout", inputs, "in [0, 1)")
            .expect(rate > 0.0 && rate <= 10.0, "the learning rate", rate, "in (0, 10]")
            .expect((0.0..=10.0).contains(&decay), "the weight decay", decay, "in [0, 10]")
            .expect((1..=1 << 16).contains(&batch), "the batch size", batch, "1 to 65536")
            .mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        let FitTask { rows, valid, seed, plan, ref watch } = *task;
        Ok(LevelNetwork::fit(rows, valid, self, plan, seed, watch)?.of_any_kind())
    }

    fn abilities(&self) -> Abilities {
        Abilities { has_epochs: true, trains_on_gpu: true, ..Abilities::default() }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(LevelNetwork::from_tensors(tensors, inputs, classes)?))
    }
}
