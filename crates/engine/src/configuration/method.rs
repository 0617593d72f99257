//! The methods of training and prediction that the paper compares.

use serde::{Deserialize, Serialize};

rulebound_core::named_enum! {
    /// How the loss and the predictions use the rules.
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
        /// One output per class, without the classes that imply it (A ∖ A₁), trained with
        /// cross-entropy; the layer takes the unions at prediction: g⁺.
        Complement = "complement",
    }
}

impl Method {
    /// Whether predictions go through the constraint layer, and so never break a rule.
    pub const fn is_coherent(self) -> bool {
        !matches!(self, Self::None)
    }
}
