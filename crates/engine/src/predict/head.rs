//! What comes after the logits of a network.

use rulebound_core::{ConstraintLayer, Thresholds};

/// What makes predictions of logits.
#[derive(Clone, Copy, Debug)]
pub enum Head<'a> {
    /// Thresholds alone: what the network says, whatever rules there are.
    Plain(&'a Thresholds),
    /// A constraint layer with its thresholds: predictions obey its rules.
    Rules(&'a ConstraintLayer),
}

impl<'a> Head<'a> {
    /// The thresholds of the classes.
    pub fn thresholds(self) -> &'a Thresholds {
        match self {
            Self::Plain(thresholds) => thresholds,
            Self::Rules(layer) => layer.thresholds(),
        }
    }
}
