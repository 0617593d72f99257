//! Models: kept, and asked.

use std::path::PathBuf;

use numpy::PyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rulebound::Model;
use rulebound::dataset::{FittedColumn, PipelineError};
use rulebound::device::{Device, DeviceChoice};
use rulebound::predict::{FeatureRows, PredictError, Predictions};
use rulebound_core::Thresholds;

use crate::dataset::PyDataset;
use crate::failure::{model_error, os_error, predict_error, run_time_error, value_error};
use crate::program::PyProgram;
use crate::scores::{array, places};
use crate::{score_kind, threads};

/// A trained model.
#[pyclass(name = "Model", module = "rulebound._native", frozen)]
pub struct PyModel {
    pub model: Model,
}

/// The most cells of predictions that are made at once.
const CELLS: usize = 1 << 22;

/// Numbers of all rows and classes.
type Numbers<'py> = Bound<'py, PyArray2<f32>>;

/// Probabilities, logits, margins, and delegates as places in `delegate_names`.
type Predicted<'py> = (Numbers<'py>, Numbers<'py>, Numbers<'py>, Bound<'py, PyArray2<i64>>);

impl PyModel {
    pub fn new(model: Model) -> Self {
        Self { model }
    }

    /// Predicts all rows, some at a time.
    fn each_part(
        &self,
        device: &Device,
        data: &PyDataset,
        mut keep: impl FnMut(&Predictions),
    ) -> Result<(), PredictError> {
        let features = data.data.feature_matrix();
        let mut predictor = self.model.predictor_on(device, data.data.columns())?;
        let mut out = Predictions::default();
        let most = (CELLS / self.model.labels().len().max(1)).max(1);
        for start in (0..features.rows()).step_by(most) {
            let part;
            let rows: FeatureRows<'_> = if features.rows() <= most {
                features.into()
            } else {
                let rows: Vec<usize> = (start..features.rows().min(start + most)).collect();
                part = features.selected(&rows).map_err(PipelineError::from)?;
                (&part).into()
            };
            predictor.predict(rows, &mut out)?;
            keep(&out);
        }
        Ok(())
    }
}

#[pymethods]
impl PyModel {
    /// Reads a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Model::load(path)).map(Self::new).map_err(|error| model_error(&error))
    }

    /// Writes a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(path)).map_err(|error| os_error(&error))
    }

    /// Reads what `to_bytes` gave.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| Model::from_bytes(bytes)).map(Self::new).map_err(|error| model_error(&error))
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.model.to_bytes()).map_err(|error| model_error(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The rules.
    fn program(&self) -> PyProgram {
        PyProgram::new(self.model.program().clone())
    }

    /// Whether predictions obey the rules.
    fn is_coherent(&self) -> bool {
        self.model.rules().is_some()
    }

    /// The threshold of each class.
    fn thresholds(&self) -> Vec<f64> {
        let thresholds = self.model.thresholds();
        self.model.labels().ids().map(|id| thresholds.value(id)).collect()
    }

    /// The same model with other thresholds.
    fn with_thresholds(&self, values: Vec<f64>) -> PyResult<Self> {
        let (found, classes) = (values.len(), self.model.labels().len());
        if found != classes {
            return Err(PyValueError::new_err(format!("{found} thresholds for {classes} classes")));
        }
        let thresholds = Thresholds::new(values).map_err(|error| value_error(&error))?;
        Ok(Self::new(self.model.clone().with_thresholds(thresholds)))
    }

    /// The columns that it needs: name, and the values of nominal ones.
    fn columns(&self) -> Vec<(String, Option<Vec<String>>)> {
        let column = |column: &FittedColumn| {
            let values = match column {
                FittedColumn::OneHot { values, .. } => Some(values.clone()),
                FittedColumn::Untouched { values, .. } => values.clone(),
                FittedColumn::Number { .. } => None,
            };
            (column.name().to_owned(), values)
        };
        self.model.pipeline().columns().iter().map(column).collect()
    }

    /// How it was trained, as JSON: configuration and what came of it.
    fn record(&self) -> PyResult<(String, String)> {
        let configuration = serde_json::to_string(self.model.configuration());
        let training = serde_json::to_string(self.model.training());
        match (configuration, training) {
            (Ok(configuration), Ok(training)) => Ok((configuration, training)),
            (Err(error), _) | (_, Err(error)) => Err(value_error(&error)),
        }
    }

    /// Predicts all rows.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        device: &str,
    ) -> PyResult<Predicted<'py>> {
        let choice: DeviceChoice = device.parse().map_err(|error| value_error(&error))?;
        let classes = self.model.labels().len();
        let device = py.detach(|| choice.open()).map_err(|error| run_time_error(&error))?.0;
        let (mut probabilities, mut logits) = (Vec::new(), Vec::new());
        let (mut margins, mut delegates) = (Vec::new(), Vec::new());
        let mut predict = || {
            self.each_part(&device, data, |out| {
                probabilities.extend(out.probabilities());
                logits.extend(out.logits());
                margins.extend_from_slice(out.margins());
                delegates.extend(places(out.delegates(), classes));
            })
        };
        py.detach(|| threads::run(&mut predict)).map_err(|error| predict_error(&error))?;
        let shape = (data.data.rows(), classes);
        let (probabilities, logits) = (array(py, shape, probabilities)?, array(py, shape, logits)?);
        Ok((probabilities, logits, array(py, shape, margins)?, array(py, shape, delegates)?))
    }

    /// Predicts all rows: probabilities, logits or margins, and on request decisions. Less than `predict`, for tables that
    /// only pass through.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        kind: &str,
        decisions: bool,
        parallel: bool,
    ) -> PyResult<(Numbers<'py>, Option<Bound<'py, PyArray2<bool>>>)> {
        let of: fn(&Predictions) -> Vec<f32> = match kind {
            "probabilities" => Predictions::probabilities,
            "logits" => Predictions::logits,
            "margins" => |out| out.margins().to_vec(),
            _ => return Err(score_kind::unknown(kind)),
        };
        let shape = (data.data.rows(), self.model.labels().len());
        let (mut scores, mut decided) = (Vec::with_capacity(shape.0 * shape.1), Vec::new());
        let mut predict = || {
            self.each_part(&Device::Cpu, data, |out| {
                scores.extend(of(out));
                if decisions {
                    decided.extend(out.decisions());
                }
            })
        };
        py.detach(|| threads::run_if(parallel, &mut predict))
            .map_err(|error| predict_error(&error))?;
        let decided = decisions.then(|| array(py, shape, decided)).transpose()?;
        Ok((array(py, shape, scores)?, decided))
    }

    /// Explains a class of a row: as text and as JSON.
    fn explain(
        &self,
        py: Python<'_>,
        data: &PyDataset,
        row: usize,
        label: usize,
    ) -> PyResult<(String, String)> {
        if row >= data.data.rows() {
            let rows = data.data.rows();
            return Err(PyValueError::new_err(format!("no row {row}; there are {rows}")));
        }
        let one = data.data.feature_matrix().selected(&[row]);
        let one = one.map_err(|error| run_time_error(&error))?;
        let explained = py.detach(|| {
            let mut predictor = self.model.predictor(data.data.columns())?;
            predictor.explain((&one).into(), 0)
        });
        let explained = explained.map_err(|error| predict_error(&error))?;
        crate::explanation::written(&explained, label)
    }

    fn __repr__(&self) -> String {
        let classes = self.model.labels().len();
        format!("<Model: {classes} classes, {} parts>", self.model.parts().len())
    }
}
