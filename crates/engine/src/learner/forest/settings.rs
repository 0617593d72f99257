//! How a forest is grown.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Forest;
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::dataset::Scaling;
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, LearnerSettings,
    NamedTensors, Restored, learner_options,
};

rulebound_core::named_enum! {
    /// How a node of a forest chooses thresholds.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SplitThresholds: "a way to choose thresholds" {
        /// One at random for each input: extremely randomised trees.
        #[default]
        Random = "random",
        /// The best for each input: a random forest.
        Best = "best",
    }
}

/// How a forest is grown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ForestSettings {
    /// How many trees.
    pub trees: usize,
    /// The fewest rows of a leaf.
    pub leaf: usize,
    /// The fraction of the inputs that a node tries.
    pub inputs: f64,
    /// How thresholds are chosen.
    pub thresholds: SplitThresholds,
    /// Whether each tree is grown on rows drawn with replacement.
    pub bagging: bool,
    /// Onto how many random directions the label sets are projected to value splits.
    pub sketch: usize,
}

impl Default for ForestSettings {
    /// 200 extremely randomised trees on all rows, leaves of at least 2 rows, half of the inputs,
    /// 48 directions.
    fn default() -> Self {
        Self {
            trees: 200,
            leaf: 2,
            inputs: 0.5,
            thresholds: SplitThresholds::Random,
            bagging: false,
            sketch: 48,
        }
    }
}

const OPTIONS: &[LearnerOption] = learner_options!(ForestSettings:
    Count "trees" "N" "number of trees [default: 200]" |of, n| of.trees = n;
    Count "leaf-size" "N" "fewest rows of a leaf [default: 2]" |of, n| of.leaf = n;
    Number "split-features" "P" "fraction of the features that a node tries [default: 0.5]" |of, n| of.inputs = n;
    Name(&SplitThresholds::NAMES) "split-thresholds" "KIND"
        "thresholds at random, one per feature (extremely randomised trees), or the best (random forest) [default: random]"
        |of, name: &str| of.thresholds = name.parse().unwrap_or(of.thresholds);
    Switch "bagging" "" "grow each tree on rows drawn with replacement" |of, on| of.bagging = on;
    Count "sketch" "N" "random directions onto which labels are projected to value splits [default: 48]"
        |of, n| of.sketch = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 1] = [LearnerMethod {
    name: "forest",
    about: "Not a network: extremely randomised trees, or a random forest",
    settings: || ForestSettings::default().into(),
    options: OPTIONS,
}];

impl Fit for ForestSettings {
    fn kind(&self) -> &'static str {
        "forest"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let (inputs, sketch) = (self.inputs, self.sketch);
        Checks::new()
            .expect((1..=100_000).contains(&self.trees), "trees", self.trees, "from 1 to 100000")
            .expect(self.leaf >= 1, "the leaf size", self.leaf, "at least 1")
            .expect(inputs > 0.0 && inputs <= 1.0, "the fraction of features", inputs, "in (0, 1]")
            .expect(
                (1..=4096).contains(&sketch),
                "the width of the sketch",
                sketch,
                "from 1 to 4096",
            )
            .mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(FittedMember::at_once(Forest::fit(task.rows, self, task.seed, &task.watch)?))
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            scaling: Some(Scaling::Untouched),
            has_own_members: true,
            takes_untouched: true,
            ..Abilities::default()
        }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(Forest::from_tensors(tensors, inputs, classes)?))
    }

    fn counted(&self, count: usize) -> Option<LearnerSettings> {
        Some(Self { trees: count, ..self.clone() }.into())
    }
}
