//! How predictive clustering trees are grown.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Clus;
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::dataset::Scaling;
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, LearnerSettings,
    NamedTensors, Restored, learner_options,
};

/// How predictive clustering trees are grown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClusSettings {
    /// How many trees: 1 is a single tree on all rows, more are grown on bootstrap samples.
    pub trees: usize,
    /// The least weight (number of rows) of a branch.
    pub minimal_weight: f64,
    /// The level of the F-test that a split must pass; 1 is no test.
    pub f_test: f64,
}

impl Default for ClusSettings {
    /// 50 trees, branches of at least 5 rows, no F-test.
    fn default() -> Self {
        Self { trees: 50, minimal_weight: 5.0, f_test: 1.0 }
    }
}

impl ClusSettings {
    /// What the paper ran, as far as it is known: 50 trees, branches of at least 5 rows. Its F-test
    /// is not stated; without one its figures are met.
    pub fn paper() -> Self {
        Self::default()
    }
}

const OPTIONS: &[LearnerOption] = learner_options!(ClusSettings:
    Count "trees" "N" "number of trees; 1 for clus is a single tree on all rows [default: clus 50, forest 200]"
        |of, n| of.trees = n;
    Count "leaf-size" "N" "fewest rows of a leaf [default: clus 5, forest 2]" |of, n| of.minimal_weight = n as f64;
    Number "f-test" "LEVEL" "level of the F-test that a split must pass; 1 is no test [default: 1]"
        |of, n| of.f_test = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 1] = [LearnerMethod {
    name: "clus",
    about: "Not a network: predictive clustering trees (Clus-HMC, Clus-Ens)",
    settings: || ClusSettings::default().into(),
    options: OPTIONS,
}];

impl Fit for ClusSettings {
    fn kind(&self) -> &'static str {
        "clus"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let (weight, level) = (self.minimal_weight, self.f_test);
        let (fits, passes) = ((1.0..=1e9).contains(&weight), (1e-6..=1.0).contains(&level));
        Checks::new()
            .expect((1..=100_000).contains(&self.trees), "trees", self.trees, "from 1 to 100000")
            .expect(fits, "the leaf size", weight, "from 1 to 1000000000")
            .expect(passes, "the level of the F-test", level, "from 0.000001 to 1")
            .mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(FittedMember::at_once(Clus::fit(task.rows, self, task.seed, &task.watch)?))
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            scaling: Some(Scaling::Untouched),
            has_own_members: true,
            is_deterministic: self.trees == 1,
            takes_untouched: true,
            ..Abilities::default()
        }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(Clus::from_tensors(tensors, inputs, classes)?))
    }

    fn counted(&self, count: usize) -> Option<LearnerSettings> {
        Some(Self { trees: count, ..self.clone() }.into())
    }
}
