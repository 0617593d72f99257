//! Models against data: each member, and all together.

use std::ops::Range;

use rulebound_core::metrics::{LabelsInMetrics, Metrics};
use serde::Serialize;

use super::error::EvaluateError;
use super::evaluation::Evaluation;
use crate::dataset::Dataset;
use crate::model::{Model, Scorer};

/// What the predictions of a model are worth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ModelEvaluation {
    /// Of all members together.
    #[serde(flatten)]
    pub ensemble: Evaluation,
    /// Of the members, where there is more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<MemberEvaluations>,
}

/// The members of a model, one by one.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MemberEvaluations {
    /// The mean of each metric; undefined where it is for a member.
    #[serde(serialize_with = "super::evaluation::named")]
    pub mean: Metrics,
    /// The standard deviation of each metric over the members (divided by one less than their
    /// number).
    #[serde(serialize_with = "super::evaluation::named")]
    pub deviation: Metrics,
    /// Each of them.
    pub each: Vec<Evaluation>,
}

/// Evaluates a model on rows of a data set. Features and classes are matched by name; rules are
/// the model's own.
///
/// # Errors
/// When the data lacks a feature or a class of the model, or a score is no number.
pub fn evaluate_model(
    model: &Model,
    data: &Dataset,
    rows: Range<usize>,
    labels_in_metrics: LabelsInMetrics,
) -> Result<ModelEvaluation, EvaluateError> {
    let truth = truth(model, data, rows.clone())?;
    let inputs = model.pipeline().transform(data, rows)?;
    let evaluate = |mut scorer: Scorer<'_>| {
        let mut scores = vec![0.0f32; truth.len()];
        scorer.logits(&inputs, &mut scores);
        let margins = model.margins(scores)?;
        let decisions: Vec<bool> = margins.iter().map(|&margin| margin > 0.0).collect();
        let program = Some(model.program());
        let evaluated = model.evaluated();
        Evaluation::new(program, &margins, &decisions, &truth, evaluated, labels_in_metrics)
    };
    let ensemble = evaluate(model.scorer())?;
    let count = model.members().len();
    let members = match count {
        0 | 1 => None,
        _ => {
            let each = (0..count).map(|member| evaluate(model.member_scorer(member)));
            Some(MemberEvaluations::new(each.collect::<Result<_, _>>()?))
        }
    };
    Ok(ModelEvaluation { ensemble, members })
}

impl MemberEvaluations {
    fn new(each: Vec<Evaluation>) -> Self {
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

/// The truth of the rows, in the order of the model's classes.
fn truth(model: &Model, data: &Dataset, rows: Range<usize>) -> Result<Vec<bool>, EvaluateError> {
    let classes = data.classes();
    let missing: Vec<String> = model
        .labels()
        .names()
        .filter(|name| classes.find(name).is_none())
        .map(str::to_owned)
        .collect();
    if !missing.is_empty() {
        return Err(EvaluateError::NoClass { data: data.name().to_owned(), classes: missing });
    }
    let places: Vec<usize> =
        model.labels().names().filter_map(|name| Some(classes.find(name)?.index())).collect();
    let mut own = vec![false; classes.len()];
    let mut truth = Vec::with_capacity(rows.len() * places.len());
    for row in rows {
        data.labels().unpack(row, &mut own);
        truth.extend(places.iter().map(|&place| own[place]));
    }
    Ok(truth)
}
