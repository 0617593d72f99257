//! What can be wrong with a tensor, as exceptions.

use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rulebound_core::LayerError;

use crate::failure::exception;

/// Why tensors cannot be used.
#[derive(Debug)]
pub enum TensorError {
    /// A score that no class can have.
    Score { message: String, row: usize, label: String },
    /// Tensors that do not belong together, or are not what they should be.
    Shape(String),
    /// Rules that are not kept, and were not given.
    UnknownRules,
    /// Something outside failed.
    Failed(String),
}

impl From<LayerError> for TensorError {
    fn from(error: LayerError) -> Self {
        match error {
            LayerError::NotANumber { row, ref label } => {
                Self::Score { message: error.to_string(), row, label: label.clone() }
            }
            other => Self::Shape(other.to_string()),
        }
    }
}

impl From<TensorError> for PyErr {
    fn from(error: TensorError) -> Self {
        let (message, row, label) = match error {
            TensorError::Score { message, row, label } => (message, row, label),
            TensorError::Shape(message) => return PyValueError::new_err(message),
            TensorError::UnknownRules => return PyKeyError::new_err("unknown rules"),
            TensorError::Failed(message) => return PyRuntimeError::new_err(message),
        };
        Python::attach(|py| {
            let attributes = PyDict::new(py);
            let set = attributes
                .set_item("row", row)
                .and_then(|()| attributes.set_item("label", label))
                .map(|()| exception(py, "ScoreError", &message, attributes));
            set.unwrap_or_else(|error| error)
        })
    }
}
