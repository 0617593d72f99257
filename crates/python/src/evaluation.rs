//! Scores of any model, and models, against the truth.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::Evaluation;
use rulebound::apply::ScoreKind;
use rulebound::evaluate::{Scored, ScoredRows};
use rulebound::measure::{Bootstrap, MeasuredRows};
use rulebound_core::metrics::LabelsInMetrics;
use rulebound_core::{LabelId, Labels};
use rulebound_io::scores::Scale;
use serde_json::{Map, Value, json};

use crate::dataset::PyDataset;
use crate::failure::{evaluate_error, value_error};
use crate::label_marks::LabelMarks;
use crate::model::PyModel;
use crate::program::PyProgram;
use crate::{score_kind, threads};

/// What is measured beyond the metrics: further metrics, those of each class, and the samples of a bootstrap with their
/// seed.
type More = (bool, bool, Option<u32>, u64);

/// Metrics of scores, as JSON. What `kind` of scores they are decides what is a score, and what is above a threshold.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn evaluate(
    py: Python<'_>,
    scores: PyReadonlyArray2<'_, f64>,
    kind: &str,
    thresholds: Option<Vec<f64>>,
    truth: PyReadonlyArray2<'_, u8>,
    classes: Vec<String>,
    program: Option<&PyProgram>,
    labels: &str,
    more: More,
) -> PyResult<String> {
    let labels: LabelsInMetrics = labels.parse().map_err(|error| value_error(&error))?;
    let shape = scores.as_array().dim();
    let LabelMarks { truth, known, shape: found } = LabelMarks::new(&truth);
    if found != shape || classes.len() != shape.1 {
        return Err(PyValueError::new_err("scores, truth and classes have different shapes"));
    }
    let kind = score_kind::read(kind, thresholds.as_deref())?;
    let thresholds = score_kind::thresholds(shape.1, thresholds.as_deref())?;
    let scores: Vec<f64> = scores.as_array().iter().copied().collect();
    let names = Labels::new(classes).map_err(|error| value_error(&error))?;
    expect_scores(py, kind, &scores, &names)?;
    let scale = Scale::new(kind, thresholds, false);
    let of_cell = |(at, &score): (usize, &f64)| (LabelId::new(at % shape.1), score);
    let cells = || scores.iter().enumerate().map(of_cell);
    let decisions: Vec<bool> = cells().map(|(label, score)| scale.predicts(label, score)).collect();
    let rows =
        ScoredRows { scores: &scores, decisions: &decisions, truth: &truth, classes: shape.1 };
    let program = program.map(|program| &program.program);
    let request = Evaluation::of(rows).rules(program).labels_in_metrics(labels);
    let request = request.known(known.as_deref());
    let evaluation = py.detach(|| threads::run(|| request.compute()));
    let evaluation = evaluation.map_err(|error| evaluate_error(&error))?;
    let mut found = serde_json::to_value(&evaluation).map_err(|error| value_error(&error))?;
    if is_asked(more) {
        let probabilities = match kind {
            ScoreKind::Probability => scores.clone(),
            ScoreKind::Logit => scores.iter().map(|score| 1.0 / (1.0 + (-score).exp())).collect(),
        };
        let measured =
            MeasuredRows::of_rows(names, rows, probabilities, known.clone(), program, labels);
        extend(&mut found, py.detach(|| threads::run(|| measure(&measured, more)))?);
    }
    Ok(found.to_string())
}

/// Metrics of a model on all rows of data, as JSON.
#[pyfunction]
pub fn evaluate_model(
    py: Python<'_>,
    model: &PyModel,
    data: &PyDataset,
    labels: &str,
    more: More,
) -> PyResult<String> {
    let labels: LabelsInMetrics = labels.parse().map_err(|error| value_error(&error))?;
    let (model, data) = (&model.model, &data.data);
    let found = py.detach(|| {
        threads::run(|| {
            let scored = Scored::new(model, data, 0..data.rows())?;
            let evaluation = scored.evaluate_all(labels)?;
            let rows = is_asked(more).then(|| MeasuredRows::of_model(&scored, labels));
            Ok((evaluation, rows.transpose()?))
        })
    });
    let (evaluation, rows) = found.map_err(|error| evaluate_error(&error))?;
    let mut found = serde_json::to_value(&evaluation).map_err(|error| value_error(&error))?;
    if let Some(rows) = rows {
        extend(&mut found, py.detach(|| threads::run(|| measure(&rows, more)))?);
    }
    Ok(found.to_string())
}

/// Raises for what is no score of this kind, with its place.
fn expect_scores(py: Python<'_>, kind: ScoreKind, scores: &[f64], names: &Labels) -> PyResult<()> {
    let is_score = |score: f64| match kind {
        ScoreKind::Probability => (0.0..=1.0).contains(&score),
        ScoreKind::Logit => !score.is_nan(),
    };
    let Some(at) = scores.iter().position(|&score| !is_score(score)) else { return Ok(()) };
    let (row, label) = (at / names.len(), names.name(LabelId::new(at % names.len())));
    let what = match kind {
        ScoreKind::Probability => "is not a probability; of logits, say kind=\"logits\"",
        ScoreKind::Logit => "is not a number",
    };
    let text = format!("row {row}: the score {} of `{label}` {what}", scores[at]);
    Err(crate::failure::bad_score(py, &text, row, label))
}

fn is_asked((further, per_class, samples, _): More) -> bool {
    further || per_class || samples.is_some()
}

fn extend(found: &mut Value, more: Value) {
    if let (Some(found), Value::Object(more)) = (found.as_object_mut(), more) {
        found.extend(more);
    }
}

/// What was asked for, by the names that the command line has for it.
fn measure(rows: &MeasuredRows, (further, per_class, samples, seed): More) -> PyResult<Value> {
    let mut found = Map::new();
    if further {
        let figures = rows.figures(true).map_err(|error| value_error(&error))?;
        found.insert("more".to_owned(), json!(figures.further));
    }
    if per_class {
        let classes = rows.class_metrics().map_err(|error| value_error(&error))?;
        let one = |metrics: &rulebound_core::metrics::ClassMetrics| {
            let counts = metrics.counts;
            json!({
                "class": rows.labels().name(LabelId::new(metrics.class)),
                "support": counts.support(),
                "predicted": counts.predicted(),
                "precision": counts.precision(),
                "recall": counts.recall(),
                "f1": counts.f1(),
                "average_precision": metrics.average_precision,
                "auc": metrics.auc,
            })
        };
        found.insert("per_class".to_owned(), classes.iter().map(one).collect());
    }
    if let Some(samples) = samples {
        let bootstrap = Bootstrap { samples, seed, with_further: further };
        let intervals = bootstrap.intervals(rows).map_err(|error| value_error(&error))?;
        let one = |interval: &rulebound::measure::Interval| {
            let [low, high] = interval.ends.map_or([None; 2], |ends| ends.map(Some));
            let contains_value = interval.contains_value();
            let value = json!({
                "low": low, "high": high, "defined": interval.defined, "contains_value": contains_value
            });
            (interval.figure.name.to_owned(), value)
        };
        let intervals: Map<String, Value> = intervals.iter().map(one).collect();
        let value = json!({
            "samples": samples, "seed": seed, "confidence": 0.95, "intervals": intervals
        });
        found.insert("bootstrap".to_owned(), value);
    }
    Ok(Value::Object(found))
}
