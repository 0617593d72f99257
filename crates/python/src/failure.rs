//! Errors as exceptions of `rulebound.errors`, with their details as attributes.

use std::io::ErrorKind;

use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyIsADirectoryError, PyMemoryError, PyOSError,
    PyPermissionError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rulebound::apply::BatchError;
use rulebound::dataset::{DatasetError, PipelineError};
use rulebound::evaluate::EvaluateError;
use rulebound::model::ModelError;
use rulebound::predict::PredictError;
use rulebound::rule_file::RuleFileError;
use rulebound::sparse::{SparseApplyError, SparseRowError};
use rulebound::storage::StorageError;
use rulebound::train::TrainError;
use rulebound_core::{LayerError, RuleError, RuleErrors, SparseError};

/// An exception class of `rulebound.errors`, called with these arguments.
pub fn exception<'py>(
    py: Python<'py>,
    class: &str,
    message: &str,
    attributes: Bound<'py, PyDict>,
) -> PyErr {
    let raised = py
        .import("rulebound.errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call((message,), Some(&attributes)));
    raised.map_or_else(|error| error, PyErr::from_value)
}

/// The exception for a bad text of rules.
pub fn rule_errors(py: Python<'_>, name: &str, text: &str, errors: &RuleErrors) -> PyErr {
    let built = || -> PyResult<PyErr> {
        let lines: Vec<&str> = text.lines().collect();
        let mistakes = errors.0.iter().map(|error| mistake(py, error, &lines));
        let mistakes = mistakes.collect::<PyResult<Vec<_>>>()?;
        let attributes = PyDict::new(py);
        attributes.set_item("mistakes", mistakes)?;
        let drawn: Vec<String> =
            errors.0.iter().map(|error| crate::drawing::draw(name, &lines, error)).collect();
        Ok(exception(py, "RuleError", &format!("\n{}", drawn.join("\n")), attributes))
    };
    built().unwrap_or_else(|error| error)
}

fn mistake<'py>(py: Python<'py>, error: &RuleError, lines: &[&str]) -> PyResult<Bound<'py, PyAny>> {
    let span = error.span();
    let text = (span.line as usize).checked_sub(1).and_then(|at| lines.get(at)).copied();
    let attributes = PyDict::new(py);
    attributes.set_item("code", error.code())?;
    attributes.set_item("message", error.to_string())?;
    attributes.set_item("line", span.line)?;
    attributes.set_item("column", span.column)?;
    attributes.set_item("length", span.length)?;
    attributes.set_item("text", text.unwrap_or_default())?;
    attributes.set_item("hint", error.hint())?;
    py.import("rulebound.errors")?.getattr("Mistake")?.call((), Some(&attributes))
}

/// The exception for a file of rules that cannot be read.
pub fn rule_file_error(py: Python<'_>, error: RuleFileError) -> PyErr {
    match error {
        RuleFileError::Rules { path, text, errors } => {
            rule_errors(py, &path.display().to_string(), &text, &errors)
        }
        RuleFileError::Input(error) => os_error(&error),
        error => PyValueError::new_err(with_causes(&error)),
    }
}

/// The exception for scores that cannot be made coherent.
pub fn batch_error(py: Python<'_>, error: &BatchError) -> PyErr {
    let place = match error {
        BatchError::BadScore { row, label, .. }
        | BatchError::Layer(LayerError::NotANumber { row, label }) => Some((*row, label)),
        _ => None,
    };
    score_error(py, error, place)
}

/// The exception for lists of scores that cannot be made coherent.
pub fn sparse_error(py: Python<'_>, error: &SparseApplyError) -> PyErr {
    let place = match error {
        SparseApplyError::Row {
            row,
            source:
                SparseRowError::BadScore { label, .. }
                | SparseRowError::Layer(
                    SparseError::NotANumber { label } | SparseError::Duplicate { label },
                ),
        } => Some((*row, label)),
        _ => None,
    };
    score_error(py, error, place)
}

fn score_error(
    py: Python<'_>,
    error: &dyn std::error::Error,
    place: Option<(usize, &String)>,
) -> PyErr {
    let Some((row, label)) = place else { return PyValueError::new_err(error.to_string()) };
    bad_score(py, &error.to_string(), row, label)
}

/// The exception for a score that is none.
pub fn bad_score(py: Python<'_>, text: &str, row: usize, label: &str) -> PyErr {
    let attributes = PyDict::new(py);
    let set = attributes
        .set_item("row", row)
        .and_then(|()| attributes.set_item("label", label))
        .map(|()| exception(py, "ScoreError", text, attributes));
    set.unwrap_or_else(|error| error)
}

/// An error followed by its causes, each named once.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(below) = cause {
        let text = below.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = below.source();
    }
    message
}

/// `ValueError` with the error and its causes.
pub fn value_error(error: &dyn std::error::Error) -> PyErr {
    PyValueError::new_err(with_causes(error))
}

/// `RuntimeError` with the error and its causes.
pub fn run_time_error(error: &dyn std::error::Error) -> PyErr {
    PyRuntimeError::new_err(with_causes(error))
}

/// The exception for data that cannot be used.
pub fn dataset_error(error: &DatasetError) -> PyErr {
    match error {
        DatasetError::Storage(StorageError::Memory { .. }) => {
            PyMemoryError::new_err(with_causes(error))
        }
        DatasetError::Input(_) | DatasetError::Storage(_) => os_error(error),
        error => value_error(error),
    }
}

/// The exception for a run without a model.
pub fn train_error(error: &TrainError) -> PyErr {
    match error {
        TrainError::Diverged { .. } | TrainError::Cuda(_) | TrainError::Stopped { .. } => {
            run_time_error(error)
        }
        TrainError::TextColumns(_) => PyValueError::new_err(format!(
            "{error}; ignore= leaves a column out, nominal= makes an input of each of its values, numeric= reads it as \
             numbers"
        )),
        TrainError::Unfinished { .. } => {
            PyFileExistsError::new_err(format!("{error}; resume=True continues it"))
        }
        TrainError::Pipeline(PipelineError::Storage(StorageError::Memory { .. })) => {
            PyMemoryError::new_err(with_causes(error))
        }
        TrainError::Output(_)
        | TrainError::Log { .. }
        | TrainError::Pipeline(PipelineError::Storage(_)) => os_error(error),
        error => value_error(error),
    }
}

/// The exception for a model that cannot be read.
pub fn model_error(error: &ModelError) -> PyErr {
    match error {
        ModelError::Read { .. } => os_error(error),
        error => value_error(error),
    }
}

/// The exception for a file that cannot be read or written, of the type that Python has for its cause.
pub fn os_error(error: &(dyn std::error::Error + 'static)) -> PyErr {
    let message = with_causes(error);
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    match causes.find_map(|cause| cause.downcast_ref::<std::io::Error>()).map(|io| io.kind()) {
        Some(ErrorKind::NotFound) => PyFileNotFoundError::new_err(message),
        Some(ErrorKind::IsADirectory) => PyIsADirectoryError::new_err(message),
        Some(ErrorKind::PermissionDenied) => PyPermissionError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

/// The exception for rows that cannot be predicted.
pub fn predict_error(error: &PredictError) -> PyErr {
    match error {
        PredictError::Cuda(_) => run_time_error(error),
        error => value_error(error),
    }
}

/// The exception for predictions that cannot be evaluated.
pub fn evaluate_error(error: &EvaluateError) -> PyErr {
    value_error(error)
}
