//! How local perceptrons are trained.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Lmlp;
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, NamedTensors,
    Restored, learner_options,
};

/// Settings of HMC-LMLP. Rates are pairs: for the weights of hidden units, and for those of outputs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LmlpSettings {
    /// Hidden units of the first and of the last level, in proportion to its inputs; the levels
    /// between have proportions between. Above 0, at most 10.
    pub hidden: [f64; 2],
    /// Learning rates; above 0, at most 10.
    pub learning_rates: [f64; 2],
    /// How much of a row's step is repeated in the next step; from 0 to below 1.
    pub momentum: [f64; 2],
    /// Epochs that each level trains before it is the next level's turn; at least 1.
    pub turn: usize,
}

impl Default for LmlpSettings {
    fn default() -> Self {
        Self { hidden: [0.6, 0.1], learning_rates: [0.05, 0.03], momentum: [0.03, 0.01], turn: 1 }
    }
}

impl LmlpSettings {
    /// What the published results were computed with, as far as it is known: turns of ten epochs.
    pub fn paper() -> Self {
        Self { turn: 10, ..Self::default() }
    }
}

const OPTIONS: &[LearnerOption] = learner_options!(LmlpSettings:
    Pair "hidden-share" "FIRST,LAST"
        "hidden units of the first and of the last level, in proportion to its inputs [default: 0.6,0.1]"
        |of, pair| of.hidden = pair;
    Pair "learning-rates" "HIDDEN,OUTPUT" "learning rates of hidden units and of outputs [default: 0.05,0.03]"
        |of, pair| of.learning_rates = pair;
    Pair "momentum" "HIDDEN,OUTPUT"
        "parts of the previous row's step that are repeated, for hidden units and outputs [default: 0.03,0.01]"
        |of, pair| of.momentum = pair;
    Count "turn" "N" "epochs that a level trains before it is the next level's turn [default: 1]"
        |of, n| of.turn = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 1] = [LearnerMethod {
    name: "lmlp",
    about: "Hierarchies: a perceptron for each level, which sees the level above: HMC-LMLP",
    settings: || LmlpSettings::default().into(),
    options: OPTIONS,
}];

impl Fit for LmlpSettings {
    fn kind(&self) -> &'static str {
        "lmlp"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let mut checks = Checks::new();
        for share in self.hidden {
            let holds = share > 0.0 && share <= 10.0;
            checks = checks.expect(holds, "the proportion of hidden units", share, "in (0, 10]");
        }
        for rate in self.learning_rates {
            checks =
                checks.expect(rate > 0.0 && rate <= 10.0, "the learning rate", rate, "in (0, 10]");
        }
        for part in self.momentum {
            checks = checks.expect((0.0..1.0).contains(&part), "the momentum", part, "in [0, 1)");
        }
        let holds = (1..1 << 20).contains(&self.turn);
        checks.expect(holds, "epochs per turn", self.turn, "1 to 1048575").mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(Lmlp::fit(task.rows, task.valid, self, task.plan, task.seed, &task.watch)?.of_any_kind())
    }

    fn abilities(&self) -> Abilities {
        Abilities { has_epochs: true, ..Abilities::default() }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(Lmlp::from_tensors(tensors, inputs, classes)?))
    }
}
