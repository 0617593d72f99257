//! When a score is above its threshold: the same cases as in prediction and in `apply`.

use rulebound_core::{LabelId, Margin, Thresholds};

use super::ScoresOf;
use crate::scores::Scale;

/// When a score is above its threshold.
pub(crate) enum DecisionRule<'a> {
    Model(&'a Thresholds),
    Table(Box<Scale>),
}

impl<'a> DecisionRule<'a> {
    pub(crate) fn new(of: ScoresOf, thresholds: &'a Thresholds) -> Self {
        match of {
            ScoresOf::Model => Self::Model(thresholds),
            ScoresOf::Table(kind) => {
                Self::Table(Box::new(Scale::new(kind, thresholds.clone(), false)))
            }
        }
    }

    pub(crate) fn predicts(&self, label: LabelId, score: f64) -> bool {
        match self {
            Self::Model(thresholds) => {
                let margin: f32 = thresholds.margin_of_logit(label, score as f32);
                margin.canonical().is_predicted()
            }
            Self::Table(scale) => scale.predicts(label, score),
        }
    }
}
