//! How two-way networks are trained.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::TwoWay;
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, NamedTensors,
    Restored, learner_options,
};

/// Settings of DHN.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoWaySettings {
    /// The weight of what is affirmed, in loss and prediction; that of what is denied is the rest to
    /// 1. From 0 to 1; at 1 the network is CCN(h).
    pub affirmed: f64,
    /// Units per hidden layer.
    pub hidden: Vec<usize>,
    /// The dropout rate of the hidden layers; from 0 to below 1.
    pub dropout: f64,
    /// Adam's learning rate; above 0.
    pub learning_rate: f64,
    /// The weight of the L2 term in the gradient; at least 0.
    pub weight_decay: f64,
    /// The batch size; at least 1.
    pub batch: usize,
}

impl Default for TwoWaySettings {
    fn default() -> Self {
        Self {
            affirmed: 0.8,
            hidden: vec![1000, 1000],
            dropout: 0.7,
            learning_rate: 1e-4,
            weight_decay: 1e-5,
            batch: 4,
        }
    }
}

const OPTIONS: &[LearnerOption] = learner_options!(TwoWaySettings:
    Number "affirmed" "SHARE"
        "share of the outputs that affirm a class; those that deny it have the rest, and 1 is ccn [default: 0.8]"
        |of, n| of.affirmed = n;
    Counts "hidden" "" "" |of, n: &[usize]| of.hidden = n.to_vec();
    Number "dropout" "" "" |of, n| of.dropout = n;
    Number "learning-rate" "" "" |of, n| of.learning_rate = n;
    Number "weight-decay" "" "" |of, n| of.weight_decay = n;
    Count "batch" "" "" |of, n| of.batch = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 1] = [LearnerMethod {
    name: "dhn",
    about: "Hierarchies: a network that affirms and denies each class: DHN",
    settings: || TwoWaySettings::default().into(),
    options: OPTIONS,
}];

impl Fit for TwoWaySettings {
    fn kind(&self) -> &'static str {
        "dhn"
    }

    fn section(&self) -> (&'static str, u32) {
        ("two-way", 1)
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let (affirmed, dropout, batch) = (self.affirmed, self.dropout, self.batch);
        let (rate, decay) = (self.learning_rate, self.weight_decay);
        let share = (0.0..=1.0).contains(&affirmed);
        let sizes =
            self.hidden.len() <= 100 && self.hidden.iter().all(|u| (1..=1 << 20).contains(u));
        let hidden = format!("{:?}", self.hidden);
        Checks::new()
            .expect(share, "the weight of what is affirmed", affirmed, "in [0, 1]")
            .expect(sizes, "hidden", hidden, "at most 100 layers of 1 to 1048576 units")
            .expect((0.0..1.0).contains(&dropout), "dropout", dropout, "in [0, 1)")
            .expect(rate > 0.0 && rate <= 10.0, "the learning rate", rate, "in (0, 10]")
            .expect((0.0..=10.0).contains(&decay), "the weight decay", decay, "in [0, 10]")
            .expect((1..=1 << 16).contains(&batch), "the batch size", batch, "1 to 65536")
            .mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(TwoWay::fit(task.rows, task.valid, self, task.plan, task.seed, &task.watch)?
            .of_any_kind())
    }

    fn abilities(&self) -> Abilities {
        Abilities { has_epochs: true, trains_on_gpu: true, ..Abilities::default() }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(TwoWay::from_tensors(tensors, inputs, classes)?))
    }
}
