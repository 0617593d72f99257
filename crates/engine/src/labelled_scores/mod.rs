//! Rows with scores and truth: what is evaluated, measured, calibrated, blended, and searched for thresholds.
//!
//! ```text
//! Model, Dataset ── Model::score ───────┐                      ┌─ Calibration::fit, ThresholdSearch::run, blends
//! two tables ────── Tables::read ───────┼── LabelledScores ────┤
//! arrays ────────── LabelledScores::new ┘   (before the layer) └─ decided ──> LabelledPredictions ── evaluate, figures
//! ```
//!
//! The truth, where it is known, the classes that count and the rules are kept with the scores, so that everything that
//! is computed from them is about the same rows and the same classes. All of it may be owned or borrowed.

mod decision_rule;
mod predictions;
mod truth_under_rules;

pub use predictions::LabelledPredictions;
pub use truth_under_rules::{BrokenTruth, TruthUnderRules};

pub(crate) use decision_rule::DecisionRule;

use std::borrow::Cow;

use rulebound_core::metrics::{Columns, LabelsInMetrics, MetricError};
use rulebound_core::{FloatMargin, LabelId, Labels, Program, Thresholds};

use crate::scores::ScoreKind;

/// What scores are, and so when one is above its threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoresOf {
    /// Logits of a model, `f32`, calibrated if the model is: decided as
    /// [`Head`](crate::predict::Head) does.
    Model,
    /// The scores of a table: decided as [`apply`](crate::apply) does.
    Table(ScoreKind),
}

/// Scores and the truth of the same rows, row-major `[rows × classes]`.
///
/// ```
/// use rulebound::apply::ScoreKind;
/// use rulebound::core::metrics::{LabelsInMetrics, Metric};
/// use rulebound::core::{Program, Thresholds};
/// use rulebound::labelled_scores::{LabelledScores, ScoresOf};
/// let program: Program = "stomach -> abdomen".parse()?;
/// let (scores, truth) = ([0.9, 0.2, 0.4, 0.7], [true, true, false, true]);
/// let of = ScoresOf::Table(ScoreKind::Probability);
/// let rows = LabelledScores::new(program.labels(), &scores, of, &truth).with_rules(&program);
/// let decisions = rows.decisions(&Thresholds::half(2));
/// let evaluation = rows.decided(decisions, LabelsInMetrics::All).evaluate()?;
/// assert_eq!(evaluation.metrics.get(Metric::HammingLoss), Some(0.25));
/// assert_eq!(evaluation.violations.map(|broken| broken.rows), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LabelledScores<'a, F: Copy = f64> {
    pub(crate) labels: Cow<'a, Labels>,
    pub(crate) scores: Cow<'a, [F]>,
    pub(crate) of: ScoresOf,
    pub(crate) truth: Cow<'a, [bool]>,
    /// None if all are.
    pub(crate) known: Option<Cow<'a, [bool]>>,
    pub(crate) evaluated: Cow<'a, [bool]>,
    pub(crate) program: Option<Cow<'a, Program>>,
    /// What a label policy found, where one was applied to the truth.
    pub(crate) under_rules: Option<TruthUnderRules>,
    /// How many classes of the rules have no scores and are hidden.
    pub(crate) hidden: usize,
    /// The scores of each member of a model; none where there is only one.
    pub(crate) members: Vec<Vec<F>>,
}

impl<'a, F: Copy> LabelledScores<'a, F> {
    /// Scores with the truth: all of it is known, all classes count, and there are no rules.
    pub fn new(labels: &'a Labels, scores: &'a [F], of: ScoresOf, truth: &'a [bool]) -> Self {
        Self {
            labels: Cow::Borrowed(labels),
            scores: scores.into(),
            of,
            truth: truth.into(),
            known: None,
            evaluated: vec![true; labels.len()].into(),
            program: None,
            under_rules: None,
            hidden: 0,
            members: Vec::new(),
        }
    }

    /// Which labels of the truth are known [default: all]; the others do not count.
    #[must_use]
    pub fn with_known(mut self, known: impl Into<Option<&'a [bool]>>) -> Self {
        self.known = known.into().map(Cow::Borrowed);
        self
    }

    /// Which classes may count [default: all].
    #[must_use]
    pub fn with_evaluated(mut self, evaluated: &'a [bool]) -> Self {
        self.evaluated = evaluated.into();
        self
    }

    /// Only these classes may count: those seen in training.
    ///
    /// # Panics
    /// If there is no such class.
    #[must_use]
    pub fn counting(mut self, classes: impl IntoIterator<Item = LabelId>) -> Self {
        let mut counted = vec![false; self.labels.len()];
        classes.into_iter().for_each(|class| counted[class.index()] = true);
        self.evaluated = counted.into();
        self
    }

    /// The rules that predictions should obey [default: none].
    #[must_use]
    pub fn with_rules(mut self, program: impl Into<Option<&'a Program>>) -> Self {
        self.program = program.into().map(Cow::Borrowed);
        self
    }

    /// Other scores of the same rows.
    pub fn with_scores<'b, G: Copy>(
        &'b self,
        scores: impl Into<Cow<'b, [G]>>,
        of: ScoresOf,
    ) -> LabelledScores<'b, G> {
        LabelledScores {
            labels: Cow::Borrowed(&*self.labels),
            scores: scores.into(),
            of,
            truth: Cow::Borrowed(&*self.truth),
            known: self.known.as_deref().map(Cow::Borrowed),
            evaluated: Cow::Borrowed(&*self.evaluated),
            program: self.program.as_deref().map(Cow::Borrowed),
            under_rules: self.under_rules,
            hidden: self.hidden,
            members: Vec::new(),
        }
    }

    /// The same rows, borrowing nothing.
    pub(crate) fn into_owned(self) -> LabelledScores<'static, F> {
        LabelledScores {
            labels: Cow::Owned(self.labels.into_owned()),
            scores: self.scores.into_owned().into(),
            of: self.of,
            truth: self.truth.into_owned().into(),
            known: self.known.map(|known| known.into_owned().into()),
            evaluated: self.evaluated.into_owned().into(),
            program: self.program.map(|program| Cow::Owned(program.into_owned())),
            under_rules: self.under_rules,
            hidden: self.hidden,
            members: self.members,
        }
    }

    /// Adds further rows of the same classes: those of the next fold.
    pub(crate) fn append(&mut self, more: &LabelledScores<'_, F>) {
        let before = self.truth.len();
        self.scores.to_mut().extend_from_slice(&more.scores);
        self.truth.to_mut().extend_from_slice(&more.truth);
        if self.known.is_some() || more.known.is_some() {
            let known = self.known.get_or_insert_with(|| vec![true; before].into()).to_mut();
            known.extend_from_slice(more.known.as_deref().unwrap_or_default());
            known.resize(self.truth.len(), true);
        }
    }

    /// What is predicted where `decisions` says so, and which of the classes that may count do.
    pub fn decided<'b>(
        &'b self,
        decisions: impl Into<Cow<'b, [bool]>>,
        labels_in_metrics: LabelsInMetrics,
    ) -> LabelledPredictions<'b, F> {
        let rows = self.with_scores(&*self.scores, self.of);
        LabelledPredictions::new(rows, decisions.into(), labels_in_metrics)
    }

    /// The classes.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.truth.len().checked_div(self.labels.len()).unwrap_or(0)
    }

    /// The scores.
    pub fn scores(&self) -> &[F] {
        &self.scores
    }

    /// The scores of each member of the model that they are from.
    pub fn members(&self) -> Vec<&[F]> {
        match &self.members[..] {
            [] => vec![&self.scores],
            several => several.iter().map(Vec::as_slice).collect(),
        }
    }

    /// Which classes are true.
    pub fn truth(&self) -> &[bool] {
        &self.truth
    }

    /// For each class, whether it may count.
    pub fn evaluated(&self) -> &[bool] {
        &self.evaluated
    }

    /// The rules.
    pub fn program(&self) -> Option<&Program> {
        self.program.as_deref()
    }

    /// How many classes of the rules have no scores and are hidden.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Whether a label counts: its class is evaluated, and it is known.
    pub(crate) fn counts(&self, at: usize) -> bool {
        self.evaluated[at % self.labels.len()] && self.known.as_ref().is_none_or(|known| known[at])
    }

    /// The classes that are evaluated.
    pub(crate) fn evaluated_classes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.evaluated.len()).filter(|&class| self.evaluated[class])
    }

    /// How many labels of the truth are not known.
    pub(crate) fn unknown_cells(&self) -> usize {
        self.known.iter().flat_map(|known| known.iter()).filter(|is_known| !**is_known).count()
    }

    /// The classes and labels that count in metrics.
    ///
    /// # Errors
    /// If the truth does not consist of whole rows.
    pub fn columns(&self, labels_in_metrics: LabelsInMetrics) -> Result<Columns, MetricError> {
        let columns = Columns::new(&self.evaluated, &self.truth, labels_in_metrics)?;
        self.masked(columns)
    }

    /// These classes, without labels that are not known.
    pub(crate) fn masked(&self, columns: Columns) -> Result<Columns, MetricError> {
        match &self.known {
            Some(known) if known.contains(&false) => columns.with_known(known.to_vec()),
            _ => Ok(columns),
        }
    }
}

impl LabelledScores<'_> {
    /// Which scores are above their thresholds.
    pub fn decisions(&self, thresholds: &Thresholds) -> Vec<bool> {
        let rule = DecisionRule::new(self.of, thresholds);
        let labels = (0..self.labels.len()).cycle().map(LabelId::new);
        self.scores.iter().zip(labels).map(|(&score, label)| rule.predicts(label, score)).collect()
    }

    /// The scores as probabilities, where they are not.
    pub(crate) fn probabilities(&self) -> Option<Vec<f64>> {
        match self.of {
            ScoresOf::Table(ScoreKind::Probability) => None,
            ScoresOf::Model | ScoresOf::Table(ScoreKind::Logit) => {
                Some(self.scores.iter().map(|score| score.softplus_sigmoid().1).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_with_and_without_unknown_labels_are_put_together() {
        let labels = Labels::new(["a", "b"]).unwrap();
        let rows = |scores: &[f32; 2], known: Option<&[bool]>| {
            let rows = LabelledScores::new(&labels, scores, ScoresOf::Model, &[true, false]);
            rows.with_known(known).into_owned()
        };
        let mut all = rows(&[1.0, 2.0], None);
        all.append(&rows(&[3.0, 4.0], Some(&[true, false])));
        all.append(&rows(&[5.0, 6.0], None));
        assert_eq!((all.rows(), all.scores()), (3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
        assert_eq!(all.known.as_deref(), Some(&[true, true, true, false, true, true][..]));
        assert_eq!((all.unknown_cells(), all.counts(3), all.counts(2)), (1, false, true));
        assert_eq!(all.members(), [all.scores()]);
    }
}
