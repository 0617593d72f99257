//! Explanations as text and as JSON.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::explain::{ExplainedClass, Explanation};
use rulebound_core::LabelId;
use serde_json::{Map, Value};

use crate::failure::value_error;
use crate::program::PyProgram;
use crate::score_kind;

/// The most rules that a tree is deep.
const DEPTH: usize = 20;

/// The tree of a class, and all classes that it is derived from, as JSON.
#[pyfunction]
pub fn explain(
    program: &PyProgram,
    scores: Vec<f64>,
    label: usize,
    kind: &str,
    thresholds: Option<Vec<f64>>,
    is_f32: bool,
) -> PyResult<(String, String)> {
    let classes = program.program.labels().len();
    let kind = score_kind::read(kind, thresholds.as_deref())?;
    let thresholds = score_kind::thresholds(classes, thresholds.as_deref())?;
    if scores.len() != classes || scores.iter().any(|score| score.is_nan()) {
        return Err(PyValueError::new_err("an explanation needs one number for each class"));
    }
    let explanation = Explanation::new(&program.program, thresholds, kind, scores, is_f32);
    written(&explanation.map_err(|error| value_error(&error))?, label)
}

/// An explanation of one class as text and as JSON.
pub fn written(explanation: &Explanation<'_>, label: usize) -> PyResult<(String, String)> {
    let labels = explanation.program().labels();
    let label = LabelId::try_from(label).ok().filter(|id| id.index() < labels.len());
    let label = label.ok_or_else(|| PyValueError::new_err("there is no such class"))?;
    let mut classes = Map::new();
    for id in explanation.with_origins(&[label]) {
        let explained: ExplainedClass = explanation.class(id);
        let value = serde_json::to_value(explained).map_err(|error| value_error(&error))?;
        classes.insert(labels.name(id).to_owned(), value);
    }
    let tree = explanation.tree(&[label], DEPTH);
    Ok((tree, Value::Object(classes).to_string()))
}
