//! Evaluation of a model on data: each member, and the ensemble.

use std::collections::HashSet;
use std::ops::Range;

use rulebound_core::metrics::{LabelsInMetrics, Metrics};
use serde::Serialize;

use super::error::EvaluateError;
use super::evaluation::{Evaluation, ScoredRows};
use super::truth_policy::TruthUnderRules;
use crate::configuration::LabelPolicy;
use crate::dataset::Dataset;
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
        Scored::under(policy, self, data, rows)?.evaluate_all(labels_in_metrics)
    }
}

/// The scores of every member of a model for some rows, with the ground truth.
#[derive(Debug)]
pub struct Scored<'a> {
    model: &'a Model,
    /// Under the label policy; row-major, like the logits.
    pub truth: Vec<bool>,
    /// Which labels of the ground truth are known; none if all are.
    pub known: Option<Vec<bool>>,
    /// How the ground truth agreed with the rules.
    pub under_rules: TruthUnderRules,
    /// The logits of each member; those of a blend as one.
    pub members: Vec<Vec<f32>>,
    /// The logits of all members together; none if there is only one.
    together: Option<Vec<f32>>,
}

impl<'a> Scored<'a> {
    /// Scores the rows with every member; labels that break a rule are treated as in training.
    ///
    /// # Errors
    /// If the data lacks a feature or a class of the model.
    pub fn new(
        model: &'a Model,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<Self, EvaluateError> {
        Self::under(model.configuration().labels, model, data, rows)
    }

    /// As [`new`](Self::new), with another policy on labels that break a rule.
    ///
    /// # Errors
    /// As [`new`](Self::new), or if the policy is strict and a row breaks a rule.
    pub fn under(
        policy: LabelPolicy,
        model: &'a Model,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<Self, EvaluateError> {
        let (mut truth, mut known) = truth(model, data, rows.clone())?;
        let marks = known.as_deref_mut();
        let under_rules = TruthUnderRules::apply(model.program(), &mut truth, marks, policy)?;
        let known = known.filter(|known| known.contains(&false));
        let parts = model.part_logits(data, rows)?;
        let mut parts: Vec<_> = parts.into_iter().map(|part| (part.weight, part.members)).collect();
        let together = (parts.len() > 1 || parts.iter().any(|(_, members)| members.len() > 1))
            .then(|| model.blended(&parts));
        let members = match parts.pop() {
            Some((_, members)) if parts.is_empty() => members,
            _ => together.iter().cloned().collect(),
        };
        Ok(Self { model, truth, known, under_rules, members, together })
    }

    /// The logits of all members together, the same bits as those of [`Model::predictor`].
    pub fn ensemble_logits(&self) -> &[f32] {
        match (&self.together, &self.members[..]) {
            (Some(together), _) => together,
            (None, [one]) => one,
            (None, _) => &[],
        }
    }

    /// What all members together are in a blend with others: coherent before they are averaged, also a
    /// single one.
    pub(crate) fn coherent_logits(&self) -> Vec<f32> {
        match &self.together {
            Some(together) => together.clone(),
            None => self.model.coherent_mean(&[(1.0, self.members.iter().collect())]),
        }
    }

    /// The model.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// Evaluates all members together, and each of several.
    ///
    /// # Errors
    /// If a logit is NaN.
    pub fn evaluate_all(
        &self,
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<ModelEvaluation, EvaluateError> {
        let ensemble = self.evaluate(self.ensemble_logits(), labels_in_metrics)?;
        let members = match self.members.len() {
            0 | 1 => None,
            _ => {
                let members = self.members.iter();
                let each = members.map(|logits| self.evaluate(logits, labels_in_metrics));
                Some(MemberEvaluations::new(each.collect::<Result<_, _>>()?))
            }
        };
        Ok(ModelEvaluation { ensemble, members })
    }

    /// Evaluates the predictions from these logits.
    ///
    /// # Errors
    /// If a logit is NaN, or the model does not know which classes were seen in training.
    pub fn evaluate(
        &self,
        logits: &[f32],
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<Evaluation, EvaluateError> {
        let mut predictions = Predictions::default();
        self.model.head().predict(logits, &mut predictions)?;
        let (scores, decisions) = (predictions.logits(), predictions.decisions());
        let program = Some(self.model.program());
        let evaluated = &self.model.counted(labels_in_metrics)?[..];
        let (decisions, truth, classes) = (&decisions[..], &self.truth[..], evaluated.len());
        Evaluation::of(ScoredRows { scores: &scores, decisions, truth, classes })
            .rules(program)
            .applied(self.under_rules)
            .known(self.known.as_deref())
            .evaluated(evaluated)
            .labels_in_metrics(labels_in_metrics)
            .compute()
    }
}

impl MemberEvaluations {
    pub(crate) fn new(each: Vec<Evaluation>) -> Self {
        let all: Vec<Metrics> = each.iter().map(|evaluation| evaluation.metrics).collect();
        let count = all.len() as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
        let deviation = |values: &[f64]| {
            let mean = mean(values);
            let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            (squares / (count - 1.0)).sqrt()
        };
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
        let scored = Scored::new(&model, &data, rows.clone()).unwrap();
        let mut predictions = [Predictions::default(), Predictions::default()];
        model.head().predict(scored.ensemble_logits(), &mut predictions[0]).unwrap();
        let cells: Vec<f32> = rows.flat_map(|row| data.features(row)).copied().collect();
        let features = FeatureRows::dense(&cells, data.columns().len()).unwrap();
        model.predictor(data.columns()).unwrap().predict(features, &mut predictions[1]).unwrap();
        assert_eq!(predictions[0].margins(), predictions[1].margins());
        model.head().predict(&scored.members[0], &mut predictions[0]).unwrap();
        assert_ne!(predictions[0].margins(), predictions[1].margins());
    }
}
