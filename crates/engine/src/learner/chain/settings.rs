//! How chains are fitted.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::logistic::LogisticSettings;
use super::Chains;
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, LearnerSettings,
    NamedTensors, Restored, learner_options,
};

/// How chains are fitted.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainSettings {
    /// The number of chains whose probabilities are averaged.
    pub chains: usize,
    /// Whether each chain has a random order; otherwise that of the data.
    pub random_order: bool,
    /// The regressions.
    pub logistic: LogisticSettings,
}

impl Default for ChainSettings {
    /// Ten chains in random orders, as Read et al. have it; all rows in each.
    fn default() -> Self {
        Self { chains: 10, random_order: true, logistic: LogisticSettings::default() }
    }
}

impl ChainSettings {
    /// One chain in the order of the data.
    pub fn single() -> Self {
        Self { chains: 1, random_order: false, ..Self::default() }
    }

    /// What the paper ran under the name of ECC: one chain in the order of the data, and the
    /// regressions of scikit-learn's defaults.
    pub fn paper() -> Self {
        Self { logistic: LogisticSettings::paper(), ..Self::single() }
    }
}

const OPTIONS: &[LearnerOption] = learner_options!(ChainSettings:
    Number "inverse-penalty" "C" "inverse of the regularisation strength, C [default: 1]" |of, n| of.logistic.c = n;
    Count "chains" "N" "number of chains [default: 10]" |of, n| of.chains = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 2] = [
    LearnerMethod {
        name: "cc",
        about: "A classifier chain of logistic regressions, in the order of the data",
        settings: || ChainSettings::single().into(),
        options: OPTIONS.split_at(1).0,
    },
    LearnerMethod {
        name: "ecc",
        about: "Classifier chains in random orders, averaged",
        settings: || ChainSettings::default().into(),
        options: OPTIONS,
    },
];

impl Fit for ChainSettings {
    fn kind(&self) -> &'static str {
        "chains"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let holds = (1..=1000).contains(&self.chains);
        let checks = Checks::new().expect(holds, "chains", self.chains, "from 1 to 1000");
        [self.logistic.mistakes(), checks.mistakes()].concat()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(FittedMember::at_once(Chains::fit(task.rows, self, task.seed, &task.watch)?))
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            has_own_members: true,
            is_deterministic: !self.random_order,
            ..Abilities::default()
        }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(Chains::from_tensors(tensors, inputs, classes)?))
    }

    fn counted(&self, count: usize) -> Option<LearnerSettings> {
        self.random_order.then(|| Self { chains: count, ..*self }.into())
    }
}
