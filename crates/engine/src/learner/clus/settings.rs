//! How predictive clustering trees are grown.

use serde::{Deserialize, Serialize};

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
