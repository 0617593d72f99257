//! Weights of the terms of the loss, class by class.

use serde::{Deserialize, Serialize};

/// How much the terms of each class count in the loss.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ClassWeights {
    /// All the same.
    #[default]
    Equal,
    /// In every class the rows that have it and the rows that do not count the same together: each
    /// weighs n / 2n₊ or n / 2n₋, as in scikit-learn. Where one of them is missing, all weigh 1.
    Balanced,
    /// A weight for every class, in their order: at least 0.
    Each(Vec<f64>),
}

impl ClassWeights {
    /// Whether all terms count the same.
    pub fn is_equal(&self) -> bool {
        *self == Self::Equal
    }
}
