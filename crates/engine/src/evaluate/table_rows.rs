//! Two tables that have been read: scores and ground truth of the same rows and classes.

use rulebound_core::metrics::LabelsInMetrics;
use rulebound_core::{FloatMargin, LabelId, Labels, Program, Thresholds};

use super::error::EvaluateError;
use super::evaluation::{Evaluation, ScoredRows};
use super::truth_policy::TruthUnderRules;
use crate::scores::{Scale, ScoreKind};

/// Scores and ground truth, row-major `[rows × classes]`.
#[derive(Debug)]
pub struct TableRows {
    pub(super) labels: Labels,
    pub(super) scores: Vec<f64>,
    pub(super) truth: Vec<bool>,
    pub(super) known: Option<Vec<bool>>,
    /// How the ground truth agreed with the rules.
    pub(super) under_rules: Option<TruthUnderRules>,
    pub(super) program: Option<Program>,
    /// How many classes of the rules have no column and are hidden.
    pub(super) hidden: usize,
    pub(super) kind: ScoreKind,
    pub(super) is_f32: bool,
    /// For each class, whether it may count.
    pub(super) counted: Vec<bool>,
}

impl TableRows {
    /// The classes.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// For each class, whether it may count in metrics.
    pub fn counted(&self) -> &[bool] {
        &self.counted
    }

    /// The same rows, of which only these classes may count: those seen in training.
    ///
    /// # Panics
    /// If there is no such class.
    #[must_use]
    pub fn counting(mut self, classes: impl IntoIterator<Item = LabelId>) -> Self {
        self.counted.fill(false);
        classes.into_iter().for_each(|class| self.counted[class.index()] = true);
        self
    }

    /// The scores as they are in the table.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// What the scores are.
    pub fn kind(&self) -> ScoreKind {
        self.kind
    }

    /// The ground truth.
    pub fn truth(&self) -> &[bool] {
        &self.truth
    }

    /// Which labels of the ground truth are known; none if all are.
    pub fn known(&self) -> Option<&[bool]> {
        self.known.as_deref()
    }

    /// The rules, about the classes of the tables.
    pub fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    /// How many classes of the rules have no column and are hidden.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The scores as probabilities.
    pub fn probabilities(&self) -> Vec<f64> {
        match self.kind {
            ScoreKind::Probability => self.scores.clone(),
            ScoreKind::Logit => {
                self.scores.iter().map(|score| score.softplus_sigmoid().1).collect()
            }
        }
    }

    /// Which scores are above their thresholds.
    pub fn decisions(&self, thresholds: &Thresholds) -> Vec<bool> {
        let scale = Scale::new(self.kind, thresholds.clone(), self.is_f32);
        let labels = (0..self.labels.len()).cycle().map(LabelId::new);
        self.scores.iter().zip(labels).map(|(&score, label)| scale.predicts(label, score)).collect()
    }

    /// Evaluates the scores with these decisions.
    ///
    /// # Errors
    /// As [`EvaluationRequest::compute`](super::EvaluationRequest::compute).
    pub fn evaluate(
        &self,
        decisions: &[bool],
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<Evaluation, EvaluateError> {
        let (scores, truth, classes) = (&self.scores[..], &self.truth[..], self.labels.len());
        let evaluation = Evaluation::of(ScoredRows { scores, decisions, truth, classes })
            .rules(self.program.as_ref())
            .applied(self.under_rules)
            .known(self.known.as_deref())
            .evaluated(&self.counted)
            .labels_in_metrics(labels_in_metrics)
            .compute()?;
        Ok(Evaluation { hidden_classes: self.hidden, ..evaluation })
    }
}
