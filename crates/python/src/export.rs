//! Files for ONNX.

use std::path::PathBuf;

use pyo3::prelude::*;
use rulebound::onnx::{
    GraphOptions, Loops, NetworkFile, NetworkOutput, OnnxError, OnnxFile, TorchFiles,
};

use crate::failure::{model_error, os_error, value_error};
use crate::model::PyModel;
use crate::program::PyProgram;
use crate::score_kind;

fn onnx_error(error: &OnnxError) -> PyErr {
    match error {
        OnnxError::Input(_) | OnnxError::Output(_) => os_error(error),
        OnnxError::Model(error) => model_error(error),
        error => value_error(error),
    }
}

fn options(margins: bool, named_inputs: bool, loops: bool) -> GraphOptions {
    let loops = if loops { Loops::Allowed } else { Loops::WrittenOut };
    GraphOptions { margins, loops, named_inputs }
}

/// Writes rules alone, or behind a network in a file; the names of the outputs.
#[pyfunction]
#[pyo3(signature = (program, path, network, output, kind, thresholds, margins, loops))]
#[allow(clippy::too_many_arguments)]
pub fn export_rules(
    py: Python<'_>,
    program: &PyProgram,
    path: PathBuf,
    network: Option<PathBuf>,
    output: Option<&str>,
    kind: &str,
    thresholds: Option<Vec<f64>>,
    margins: bool,
    loops: bool,
) -> PyResult<Vec<String>> {
    let program = &program.program;
    let classes = program.labels().len();
    let thresholds = score_kind::thresholds(classes, thresholds.as_deref())?;
    let kind: NetworkOutput = kind.parse().map_err(|error| value_error(&error))?;
    let options = options(margins, false, loops);
    let written = py.detach(|| match network {
        Some(network) => {
            let network = NetworkFile::read(&network, output, classes)?;
            let file = network.with_rules(program, &thresholds, kind, options)?;
            file.write(&path)?;
            Ok(file.outputs().to_vec())
        }
        None => {
            let file = OnnxFile::of_rules(program, &thresholds, kind, options)?;
            file.write(&path)?;
            Ok(file.outputs().map(str::to_owned).collect())
        }
    });
    written.map_err(|error| onnx_error(&error))
}

/// Writes a model.
#[pyfunction]
pub fn export_model(
    py: Python<'_>,
    model: &PyModel,
    path: PathBuf,
    margins: bool,
    named_inputs: bool,
    loops: bool,
) -> PyResult<()> {
    let options = options(margins, named_inputs, loops);
    let written = py.detach(|| OnnxFile::of_model(&model.model, options)?.write(&path));
    written.map_err(|error| onnx_error(&error))
}

/// Writes a model as a module of PyTorch.
#[pyfunction]
pub fn export_torch(py: Python<'_>, model: &PyModel, path: PathBuf) -> PyResult<PathBuf> {
    let written = py.detach(|| TorchFiles::new(&model.model)?.write(&path));
    written.map_err(|error| onnx_error(&error))
}
