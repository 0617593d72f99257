//! What scores are, by the words of Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::apply::ScoreKind;
use rulebound_core::Thresholds;

/// The meaning of scores by its name. Margins are logits whose thresholds are 0 already.
///
/// # Errors
/// `ValueError` for any other name, and for margins that have thresholds.
pub fn read(kind: &str, thresholds: Option<&[f64]>) -> PyResult<ScoreKind> {
    match (kind, thresholds) {
        ("probabilities", _) => Ok(ScoreKind::Probability),
        ("logits", _) | ("margins", None) => Ok(ScoreKind::Logit),
        ("margins", Some(_)) => Err(PyValueError::new_err(
            "margins are measured from the thresholds already; leave `thresholds` out, or give logits",
        )),
        _ => Err(unknown(kind)),
    }
}

/// The exception for a name that means nothing.
pub fn unknown(kind: &str) -> PyErr {
    PyValueError::new_err(format!(
        "kind {kind:?} is not one of \"probabilities\", \"logits\", \"margins\""
    ))
}

/// One threshold per class: those given, or 0.5 everywhere.
///
/// # Errors
/// `ValueError` if there is not one for each class, or one is not strictly between 0 and 1.
pub fn thresholds(classes: usize, given: Option<&[f64]>) -> PyResult<Thresholds> {
    let values = given.map_or_else(|| vec![0.5; classes], <[f64]>::to_vec);
    if values.len() != classes {
        let found = values.len();
        return Err(PyValueError::new_err(format!("{found} thresholds for {classes} classes")));
    }
    Thresholds::new(values).map_err(|error| PyValueError::new_err(error.to_string()))
}
