//! Scores of any model, and models, against the truth.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::apply::ScoreKind;
use rulebound::labelled_scores::{LabelledPredictions, LabelledScores, ScoresOf};
use rulebound::measure::Bootstrap;
use rulebound_core::metrics::LabelsInMetrics;
use rulebound_core::{LabelId, Labels};
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
    let rows = LabelledScores::new(&names, &scores, ScoresOf::Table(kind), &truth)
        .with_known(known.as_deref())
        .with_rules(program.map(|program| &program.program));
    let decisions = rows.decisions(&thresholds);
    let mut decided = rows.decided(decisions, labels);
    let evaluation = py.detach(|| threads::run(|| decided.evaluate()));
    let evaluation = evaluation.map_err(|error| evaluate_error(&error))?;
    let mut found = serde_json::to_value(&evaluation).map_err(|error| value_error(&error))?;
    if is_asked(more) {
        if kind == ScoreKind::Logit {
            let probability = |score: &f64| 1.0 / (1.0 + (-score).exp());
            decided = decided.with_probabilities(scores.iter().map(probability).collect());
        }
        extend(&mut found, py.detach(|| threads::run(|| measure(&decided, more)))?);
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
    py.detach(|| {
        threads::run(|| {
            let wrong = |error| evaluate_error(&error);
            let scored = model.score(data, 0..data.rows()).map_err(wrong)?;
            let evaluation = model.evaluate_scores(&scored, labels).map_err(wrong)?;
            let mut found =
                serde_json::to_value(&evaluation).map_err(|error| value_error(&error))?;
            if is_asked(more) {
                let rows = model.measured(&scored, labels).map_err(wrong)?;
                extend(&mut found, measure(&rows, more)?);
            }
            Ok(found.to_string())
        })
    })
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
fn measure(
    rows: &LabelledPredictions<'_>,
    (further, per_class, samples, seed): More,
) -> PyResult<Value> {
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
