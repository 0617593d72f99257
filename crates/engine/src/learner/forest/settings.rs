//! How a forest is grown.

use serde::{Deserialize, Serialize};

/// How a node of a forest chooses thresholds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitThresholds {
    /// One at random for each input: extremely randomised trees.
    #[default]
    Random,
    /// The best for each input: a random forest.
    Best,
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
