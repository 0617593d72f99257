//! What becomes of labels that break rules.
//!
//! One meaning wherever labels are read, learned from or measured against. It is applied where data is
//! read to labels that are written by their names; where each class has a column, training and evaluation apply it.

use serde::{Deserialize, Serialize};

rulebound_core::named_enum! {
    /// How to treat rows whose labels break a rule.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum LabelPolicy: "a label policy" {
        /// They are kept and counted; a class that a rule implies but the labels deny learns from
        /// its own output alone.
        #[default]
        Keep = "keep",
        /// Classes implied by the labels are added to them.
        Complete = "complete",
        /// They are an error, which names the first of them.
        Strict = "strict",
    }
}

impl LabelPolicy {
    /// What is done where nothing is asked for: labels that are written by their names take what they imply, and a 0
    /// in the column of a class was written on purpose.
    pub const fn default_for(labels_by_name: bool) -> Self {
        if labels_by_name { Self::Complete } else { Self::Keep }
    }
}
