//! Scores of any model against the truth.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::Evaluation;
use rulebound::evaluate::ScoredRows;
use rulebound_core::metrics::LabelsInMetrics;

use crate::failure::{evaluate_error, value_error};
use crate::program::PyProgram;
use crate::threads;

/// Metrics of scores and decisions, as JSON.
#[pyfunction]
pub fn evaluate(
    py: Python<'_>,
    scores: PyReadonlyArray2<'_, f64>,
    decisions: PyReadonlyArray2<'_, bool>,
    truth: PyReadonlyArray2<'_, bool>,
    program: Option<&PyProgram>,
    labels: &str,
) -> PyResult<String> {
    let labels: LabelsInMetrics = labels.parse().map_err(|error| value_error(&error))?;
    let shape = scores.as_array().dim();
    if decisions.as_array().dim() != shape || truth.as_array().dim() != shape {
        return Err(PyValueError::new_err("scores, decisions and truth have different shapes"));
    }
    let scores: Vec<f64> = scores.as_array().iter().copied().collect();
    let decisions: Vec<bool> = decisions.as_array().iter().copied().collect();
    let truth: Vec<bool> = truth.as_array().iter().copied().collect();
    let rows =
        ScoredRows { scores: &scores, decisions: &decisions, truth: &truth, classes: shape.1 };
    let program = program.map(|program| &program.program);
    let request = Evaluation::of(rows).rules(program).labels_in_metrics(labels);
    let evaluation = py.detach(|| threads::run(|| request.compute()));
    let evaluation = evaluation.map_err(|error| evaluate_error(&error))?;
    serde_json::to_string(&evaluation).map_err(|error| value_error(&error))
}
