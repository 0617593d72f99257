//! The ways to train and to predict that the paper compares.

use serde::{Deserialize, Serialize};

rulebound_core::named_enum! {
    /// What the loss and the predictions know of the rules.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Method: "a method" {
        /// Constraint loss and constraint layer: CCN(h), on hierarchies C-HMCNN(h).
        #[default]
        Ccn = "ccn",
        /// Cross-entropy of the constraint layer's output: h + CM.
        Cm = "cm",
        /// Cross-entropy of the network alone; the layer only at prediction: h⁺, f⁺.
        Post = "post",
        /// Cross-entropy of the network alone, and predictions that may break rules: h, f.
        None = "none",
        /// An output for each class without those that imply it (A ∖ A₁), trained alone; the layer
        /// makes the unions at prediction: g⁺.
        Complement = "complement",
    }
}

impl Method {
    /// Whether predictions go through the constraint layer, and so never break a rule.
    pub const fn is_coherent(self) -> bool {
        !matches!(self, Self::None)
    }
}
