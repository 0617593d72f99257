//! How a forest is grown.

use serde::{Deserialize, Serialize};

use crate::bad_configuration::BadConfiguration;

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

impl ForestSettings {
    /// What is invalid.
    pub fn mistakes(&self) -> Vec<BadConfiguration> {
        let mut mistakes = Vec::new();
        let mut expect = |holds: bool, what, found: String, expected| {
            if !holds {
                mistakes.push(BadConfiguration { what, found, expected });
            }
        };
        let trees = self.trees;
        expect((1..=100_000).contains(&trees), "trees", trees.to_string(), "from 1 to 100000");
        let leaf = self.leaf;
        expect(leaf >= 1, "the leaf size", leaf.to_string(), "at least 1");
        let inputs = self.inputs;
        let holds = inputs > 0.0 && inputs <= 1.0;
        expect(holds, "the fraction of features", inputs.to_string(), "in (0, 1]");
        let sketch = self.sketch;
        let holds = (1..=4096).contains(&sketch);
        expect(holds, "the width of the sketch", sketch.to_string(), "from 1 to 4096");
        mistakes
    }
}
