//! Which loss the constraint network learns with.

use serde::{Deserialize, Serialize};

rulebound_core::named_enum! {
    /// How requirements take part in the loss of [`Method::Ccn`](super::Method::Ccn).
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum TrainingLoss: "a loss" {
        /// Not at all: the constraint loss of the rules. Requirements are settled at prediction.
        #[default]
        Constraint = "constraint",
        /// In both directions: what they conclude from surer classes, for a label and against it.
        /// Without requirements, this is the constraint loss.
        TwoSided = "two-sided",
    }
}

impl TrainingLoss {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
