//! Thresholds between scores.

use rulebound_core::{FloatMargin, LabelId, Thresholds};

use crate::labelled_scores::{DecisionRule, LabelledScores, ScoresOf};
use crate::scores::ScoreKind;

impl LabelledScores<'_> {
    /// A threshold with `above` above it and `below` not, in the middle between them; `None` where
    /// no number is such a threshold.
    pub(super) fn between(&self, above: f64, below: f64) -> Option<f64> {
        let middle = match (above.is_finite(), below.is_finite()) {
            (true, true) => (above + below) / 2.0,
            (true, false) => above - 1.0,
            (false, true) => below + 1.0,
            (false, false) => 0.0,
        };
        let fits = |threshold: f64| {
            let thresholds = Thresholds::uniform(1, threshold).ok()?;
            let rule = DecisionRule::new(self.of, &thresholds);
            let only = LabelId::new(0);
            (rule.predicts(only, above) && !rule.predicts(only, below)).then_some(threshold)
        };
        let value = |score: f64| match self.of {
            ScoresOf::Table(ScoreKind::Probability) => score,
            ScoresOf::Model | ScoresOf::Table(ScoreKind::Logit) => score.softplus_sigmoid().1,
        };
        // Between neighbours there is nothing in the middle, but the lower one will do.
        fits(value(middle)).or_else(|| fits(value(below)))
    }

    /// A threshold that no score of `highest` or less is above; `None` if there is none.
    pub(super) fn over(&self, highest: f64) -> Option<f64> {
        match self.of {
            ScoresOf::Table(ScoreKind::Probability) => self.between(1.0, highest),
            ScoresOf::Model | ScoresOf::Table(ScoreKind::Logit) => {
                self.between(highest + 2.0, highest)
            }
        }
    }

    /// A threshold that every score of `lowest` or more is above; `None` if there is none.
    pub(super) fn under(&self, lowest: f64) -> Option<f64> {
        match self.of {
            ScoresOf::Table(ScoreKind::Probability) => self.between(lowest, 0.0),
            ScoresOf::Model | ScoresOf::Table(ScoreKind::Logit) => {
                self.between(lowest, lowest - 2.0)
            }
        }
    }
}
