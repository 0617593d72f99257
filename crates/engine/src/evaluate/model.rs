//! Evaluation of a model on data: each member, and the ensemble.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use rulebound_core::LabelId;
use rulebound_core::metrics::{LabelsInMetrics, Metrics, mean_and_deviation};
use serde::Serialize;

use super::error::EvaluateError;
use super::evaluation::Evaluation;
use crate::configuration::LabelPolicy;
use crate::dataset::Dataset;
use crate::labelled_scores::{LabelledPredictions, LabelledScores, ScoresOf, TruthUnderRules};
use crate::model::Model;
use crate::predict::Predictions;

/// The evaluation of a model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ModelEvaluation {
    /// The ensemble of all members.
    #[serde(flatten)]
    pub ensemble: Evaluation,
    /// The members, if there is more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<MemberEvaluations>,
}

/// The evaluations of the members of a model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MemberEvaluations {
    /// The mean of each metric; undefined if it is undefined for any member.
    pub mean: Metrics,
    /// The standard deviation of each metric over the members (divided by one less than their
    /// number).
    pub deviation: Metrics,
    /// The evaluation of each member.
    pub each: Vec<Evaluation>,
}

impl Model {
    /// The classes that may count in metrics: those evaluated, and with [`LabelsInMetrics::Seen`]
    /// only those seen in training.
    ///
    /// # Errors
    /// [`EvaluateError::SeenUnknown`] if the model was written by a version that did not store them.
    pub fn counted(&self, labels: LabelsInMetrics) -> Result<Vec<bool>, EvaluateError> {
        let evaluated = self.evaluated().iter();
        match labels {
            LabelsInMetrics::All | LabelsInMetrics::Present => Ok(evaluated.copied().collect()),
            LabelsInMetrics::Seen => {
                let seen = self.seen().ok_or(EvaluateError::SeenUnknown)?;
                Ok(evaluated.zip(seen).map(|(&evaluated, &seen)| evaluated && seen).collect())
            }
        }
    }

    /// Evaluates it on rows of a data set: each member, and all together. Features and classes are
    /// matched by name; the rules are the model's own.
    ///
    /// Labels that break a rule are treated as in training.
    ///
    /// # Errors
    /// If the data lacks a feature or a class of the model, or a score is NaN.
    pub fn evaluate(
        &self,
        data: &Dataset,
        rows: Range<usize>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<ModelEvaluation, EvaluateError> {
        self.evaluate_under(self.configuration().labels, data, rows, labels_in_metrics)
    }

    /// As [`evaluate`](Self::evaluate), with another policy on labels that break a rule.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate), or if the policy is strict and a row breaks a rule.
    pub fn evaluate_under(
        &self,
        policy: LabelPolicy,
        data: &Dataset,
        rows: Range<usize>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<ModelEvaluation, EvaluateError> {
        let rows = self.score_under(policy, data, rows)?;
        self.evaluate_scores(&rows, labels_in_metrics)
    }
}

/// Rows that are scored, and the predictions made of them.
impl Model {
    /// The logits of all members together for rows of a data set, the same bits as those of
    /// [`Model::predictor`], and those of each; with the ground truth. Labels that break a rule are treated as in
    /// training.
    ///
    /// # Errors
    /// If the data lacks a feature or a class of the model.
    pub fn score(
        &self,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<LabelledScores<'_, f32>, EvaluateError> {
        self.score_under(self.configuration().labels, data, rows)
    }

    /// As [`score`](Self::score), with another policy on labels that break a rule.
    ///
    /// # Errors
    /// As [`score`](Self::score), or if the policy is strict and a row breaks a rule.
    pub fn score_under(
        &self,
        policy: LabelPolicy,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<LabelledScores<'_, f32>, EvaluateError> {
        self.labelled(policy, data, rows, false)
    }

    /// What it says in a blend with others: coherent before it is averaged, also with a single member.
    pub(crate) fn score_coherent(
        &self,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<LabelledScores<'_, f32>, EvaluateError> {
        self.labelled(self.configuration().labels, data, rows, true)
    }

    fn labelled(
        &self,
        policy: LabelPolicy,
        data: &Dataset,
        rows: Range<usize>,
        coherent: bool,
    ) -> Result<LabelledScores<'_, f32>, EvaluateError> {
        let (mut truth, mut known) = truth(self, data, rows.clone())?;
        let marks = known.as_deref_mut();
        let under_rules = TruthUnderRules::apply(self.program(), &mut truth, marks, policy)?;
        let known = known.filter(|known| known.contains(&false));
        let parts = self.part_logits(data, rows)?;
        let mut parts: Vec<_> = parts.into_iter().map(|part| (part.weight, part.members)).collect();
        let scores = match &mut parts[..] {
            [(_, one)] if one.len() == 1 && !coherent => one.remove(0),
            _ => self.coherent_mean(&parts),
        };
        let members = match parts.pop() {
            Some((_, members)) if parts.is_empty() && members.len() > 1 => members,
            _ => Vec::new(),
        };
        Ok(LabelledScores {
            labels: Cow::Borrowed(self.labels()),
            scores: scores.into(),
            of: ScoresOf::Model,
            truth: truth.into(),
            known: known.map(Cow::Owned),
            evaluated: self.evaluated().into(),
            program: Some(Cow::Borrowed(self.program())),
            under_rules: Some(under_rules),
            hidden: 0,
            members,
        })
    }

    /// The logits as thresholds see them, under the rules that predictions obey: what thresholds are searched on.
    pub fn before_thresholds<'a>(
        &'a self,
        rows: &'a LabelledScores<'_, f32>,
    ) -> LabelledScores<'a> {
        let (head, classes) = (self.head(), self.labels().len());
        let logit =
            |(at, &logit): (usize, &f32)| f64::from(head.logit(LabelId::new(at % classes), logit));
        let logits: Vec<f64> = rows.scores().iter().enumerate().map(logit).collect();
        rows.with_scores(logits, ScoresOf::Model).with_rules(self.rules())
    }

    /// The predictions from these logits.
    ///
    /// # Errors
    /// If a logit is NaN, or the model does not know which classes were seen in training.
    pub fn predictions_of<'a>(
        &self,
        rows: &'a LabelledScores<'_, f32>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<LabelledPredictions<'a, f32>, EvaluateError> {
        let mut predictions = Predictions::default();
        self.head().predict(rows.scores(), &mut predictions)?;
        self.decided(rows, predictions.logits(), predictions.decisions(), labels_in_metrics)
    }

    /// The same with their probabilities, to be measured further.
    ///
    /// # Errors
    /// As [`predictions_of`](Self::predictions_of).
    pub fn measured<'a>(
        &self,
        rows: &'a LabelledScores<'_, f32>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<LabelledPredictions<'a>, EvaluateError> {
        let mut predictions = Predictions::default();
        self.head().predict(rows.scores(), &mut predictions)?;
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
        let (logits, decisions): (Vec<f64>, _) =
            (wide(&predictions.logits()), predictions.decisions());
        let decided = self.decided(rows, logits, decisions, labels_in_metrics)?;
        Ok(decided.with_probabilities(wide(&predictions.probabilities())))
    }

    fn decided<'a, F: Copy>(
        &self,
        rows: &'a LabelledScores<'_, f32>,
        coherent: Vec<F>,
        decisions: Vec<bool>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<LabelledPredictions<'a, F>, EvaluateError> {
        let mut coherent = rows.with_scores(coherent, ScoresOf::Model);
        coherent.evaluated = self.counted(labels_in_metrics)?.into();
        Ok(LabelledPredictions::new(coherent, decisions.into(), labels_in_metrics))
    }

    /// Evaluates the predictions of all members together, and of each of several.
    ///
    /// # Errors
    /// As [`predictions_of`](Self::predictions_of).
    pub fn evaluate_scores(
        &self,
        rows: &LabelledScores<'_, f32>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<ModelEvaluation, EvaluateError> {
        let ensemble = self.predictions_of(rows, labels_in_metrics)?.evaluate()?;
        let members = rows.members();
        let each = members.iter().map(|&logits| {
            let rows = rows.with_scores(logits, ScoresOf::Model);
            self.predictions_of(&rows, labels_in_metrics)?.evaluate()
        });
        let members = match members.len() {
            0 | 1 => None,
            _ => Some(MemberEvaluations::new(each.collect::<Result<_, _>>()?)),
        };
        Ok(ModelEvaluation { ensemble, members })
    }
}

impl MemberEvaluations {
    pub(crate) fn new(each: Vec<Evaluation>) -> Self {
        let all: Vec<Metrics> = each.iter().map(|evaluation| evaluation.metrics).collect();
        let mean = |values: &[f64]| mean_and_deviation(values).0;
        let deviation = |values: &[f64]| mean_and_deviation(values).1.unwrap_or(f64::NAN);
        Self {
            mean: Metrics::combine(&all, mean),
            deviation: Metrics::combine(&all, deviation),
            each,
        }
    }
}

/// The ground truth of the rows, in the order of the model's classes, and where it is known if it is
/// not everywhere.
fn truth(
    model: &Model,
    data: &Dataset,
    rows: Range<usize>,
) -> Result<(Vec<bool>, Option<Vec<bool>>), EvaluateError> {
    let classes = data.classes();
    let kept: HashSet<&str> = model.training().kept_labels.iter().map(String::as_str).collect();
    let missing: Vec<String> = model
        .labels()
        .names()
        .filter(|name| classes.find(name).is_none())
        .filter(|name| !kept.contains(name))
        .map(str::to_owned)
        .collect();
    if !missing.is_empty() {
        return Err(EvaluateError::NoClass { data: data.name().to_owned(), classes: missing });
    }
    // A class that only the rules know is true nowhere, unless they imply it.
    let places: Vec<Option<usize>> =
        model.labels().names().map(|name| classes.find(name).map(|id| id.index())).collect();
    let mut own = vec![false; classes.len()];
    let mut own_known = own.clone();
    let mut truth = Vec::with_capacity(rows.len() * places.len());
    let mut known = Vec::new();
    let has_unknown = data.labels().unknown_cells() > 0;
    for row in rows {
        data.labels().unpack(row, &mut own);
        truth.extend(places.iter().map(|place| place.is_some_and(|place| own[place])));
        if has_unknown {
            data.labels().unpack_known(row, &mut own_known);
            known.extend(places.iter().map(|place| place.is_none_or(|place| own_known[place])));
        }
    }
    Ok((truth, known.contains(&false).then_some(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Builtin, Split, Step};
    use crate::predict::FeatureRows;
    use crate::train::{Configuration, Stopping, Trainer};

    #[test]
    fn members_together_are_the_model() {
        let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 0).unwrap();
        let stopping = Stopping::Epochs(1);
        let configuration =
            Configuration { hidden: vec![5], members: 3, stopping, ..Configuration::default() };
        let model = Trainer::new().configuration(configuration.clone()).fit(&data).unwrap();
        let rows = data.split(Split::Test).unwrap();
        let scored = model.score(&data, rows.clone()).unwrap();
        let mut predictions = [Predictions::default(), Predictions::default()];
        model.head().predict(scored.scores(), &mut predictions[0]).unwrap();
        let cells: Vec<f32> = rows.flat_map(|row| data.features(row)).copied().collect();
        let features = FeatureRows::dense(&cells, data.columns().len()).unwrap();
        model.predictor(data.columns()).unwrap().predict(features, &mut predictions[1]).unwrap();
        assert_eq!(predictions[0].margins(), predictions[1].margins());
        model.head().predict(scored.members()[0], &mut predictions[0]).unwrap();
        assert_ne!(predictions[0].margins(), predictions[1].margins());
    }
}
