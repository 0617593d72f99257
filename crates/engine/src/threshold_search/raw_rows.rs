//! Rows whose thresholds are searched: scores before the layer, and the truth.

use rulebound_core::{FloatMargin, LabelId, Labels, Margin, Program, Thresholds};

use crate::scores::{Scale, ScoreKind};

/// What raw scores are, and so when one is above a threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RawKind {
    /// Logits of a model, `f32`, calibrated if the model is: decided as
    /// [`Head`](crate::predict::Head) does.
    Model,
    /// The scores of a table: decided as [`apply`](crate::apply) does.
    Table(ScoreKind),
}

/// Scores before the layer and the truth, row-major `[rows × classes]`.
#[derive(Clone, Copy, Debug)]
pub struct RawRows<'a> {
    /// The classes.
    pub labels: &'a Labels,
    /// The scores; none is NaN.
    pub scores: &'a [f64],
    /// What they are.
    pub kind: RawKind,
    /// Which classes are true.
    pub truth: &'a [bool],
    /// Which labels are known; none if all are.
    pub known: Option<&'a [bool]>,
    /// Which classes count, and get thresholds.
    pub evaluated: &'a [bool],
    /// The rules that predictions obey, if any.
    pub program: Option<&'a Program>,
}

impl RawRows<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.truth.len().checked_div(self.labels.len()).unwrap_or(0)
    }

    /// Whether a label counts: its class is evaluated, and it is known.
    pub(super) fn counts(&self, at: usize) -> bool {
        self.evaluated[at % self.labels.len()] && self.known.is_none_or(|known| known[at])
    }

    /// The classes that count.
    pub(super) fn evaluated_classes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.evaluated.len()).filter(|&class| self.evaluated[class])
    }

    /// Which scores are above their thresholds.
    pub(super) fn above(&self, thresholds: &Thresholds) -> Vec<bool> {
        let rule = Rule::new(self.kind, thresholds);
        let labels = (0..self.labels.len()).cycle().map(LabelId::new);
        self.scores.iter().zip(labels).map(|(&score, label)| rule.predicts(label, score)).collect()
    }

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
            let rule = Rule::new(self.kind, &thresholds);
            let only = LabelId::new(0);
            (rule.predicts(only, above) && !rule.predicts(only, below)).then_some(threshold)
        };
        let value = |score: f64| match self.kind {
            RawKind::Table(ScoreKind::Probability) => score,
            RawKind::Model | RawKind::Table(ScoreKind::Logit) => score.softplus_sigmoid().1,
        };
        // Between neighbours there is nothing in the middle, but the lower one will do.
        fits(value(middle)).or_else(|| fits(value(below)))
    }

    /// A threshold that no score of `highest` or less is above; `None` if there is none.
    pub(super) fn over(&self, highest: f64) -> Option<f64> {
        match self.kind {
            RawKind::Table(ScoreKind::Probability) => self.between(1.0, highest),
            RawKind::Model | RawKind::Table(ScoreKind::Logit) => {
                self.between(highest + 2.0, highest)
            }
        }
    }

    /// A threshold that every score of `lowest` or more is above; `None` if there is none.
    pub(super) fn under(&self, lowest: f64) -> Option<f64> {
        match self.kind {
            RawKind::Table(ScoreKind::Probability) => self.between(lowest, 0.0),
            RawKind::Model | RawKind::Table(ScoreKind::Logit) => self.between(lowest, lowest - 2.0),
        }
    }
}

/// When a score is above its threshold.
enum Rule<'a> {
    Model(&'a Thresholds),
    Table(Box<Scale>),
}

impl<'a> Rule<'a> {
    fn new(kind: RawKind, thresholds: &'a Thresholds) -> Self {
        match kind {
            RawKind::Model => Self::Model(thresholds),
            RawKind::Table(kind) => {
                Self::Table(Box::new(Scale::new(kind, thresholds.clone(), false)))
            }
        }
    }

    fn predicts(&self, label: LabelId, score: f64) -> bool {
        match self {
            Self::Model(thresholds) => {
                let margin: f32 = thresholds.margin_of_logit(label, score as f32);
                margin.canonical().is_predicted()
            }
            Self::Table(scale) => scale.predicts(label, score),
        }
    }
}
