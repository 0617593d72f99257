//! How predictive clustering trees are grown.

use serde::{Deserialize, Serialize};

use crate::bad_configuration::BadConfiguration;

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
        let weight = self.minimal_weight;
        let holds = (1.0..=1e9).contains(&weight);
        expect(holds, "the leaf size", weight.to_string(), "from 1 to 1000000000");
        let level = self.f_test;
        let holds = (1e-6..=1.0).contains(&level);
        expect(holds, "the level of the F-test", level.to_string(), "from 0.000001 to 1");
        mistakes
    }
}
