//! Metrics of partitions, as Python holds them.

use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rulebound_core::metrics::{
    Bounded, ClassCounts, PartialError, PartialMetrics, Resolution, Score,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn failure(error: PartialError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What a thread that panicked left is still a summary.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often each class is true.
#[pyclass(name = "ClassCounts", module = "rulebound._native", frozen)]
pub struct PyClassCounts {
    counts: Mutex<ClassCounts>,
}

#[pymethods]
impl PyClassCounts {
    #[new]
    fn new(classes: usize) -> Self {
        Self { counts: Mutex::new(ClassCounts::new(classes)) }
    }

    /// Adds rows of truth.
    fn add(&self, truth: PyReadonlyArray2<'_, bool>) -> PyResult<()> {
        let truth = truth.as_array();
        let mut counts = locked(&self.counts);
        let (found, expected) = (truth.dim().1, counts.positives().len());
        if found != expected {
            return Err(PyValueError::new_err(format!("{found} columns for {expected} classes")));
        }
        let truth = truth.as_standard_layout();
        counts.add(truth.as_slice().unwrap_or_default()).map_err(failure)
    }

    /// Adds the rows of another one.
    fn merge(&self, other: &Self) -> PyResult<()> {
        let other = locked(&other.counts).clone();
        locked(&self.counts).merge(&other).map_err(failure)
    }

    fn rows(&self) -> u64 {
        locked(&self.counts).rows()
    }

    fn positives<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let counts: Vec<i64> =
            locked(&self.counts).positives().iter().map(|&count| count as i64).collect();
        counts.into_pyarray(py)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &locked(&self.counts).to_bytes())
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let counts = ClassCounts::from_bytes(bytes).map_err(failure)?;
        Ok(Self { counts: Mutex::new(counts) })
    }
}

/// A value, and between which values it is.
type Range = Option<(f64, f64, f64)>;

fn range(bounds: Option<Bounded>) -> Range {
    bounds.map(|bounds| (bounds.value, bounds.low, bounds.high))
}

/// Metrics of the rows of a partition.
#[pyclass(name = "PartialMetrics", module = "rulebound._native", frozen)]
pub struct PyPartialMetrics {
    part: Mutex<PartialMetrics>,
}

#[pymethods]
impl PyPartialMetrics {
    #[new]
    fn new(counted: PyReadonlyArray1<'_, bool>, bits: Option<u32>) -> PyResult<Self> {
        let resolution = match bits {
            None => Resolution::Exact,
            Some(bits) => {
                Resolution::Bits(u8::try_from(bits).map_err(|_| failure(PartialError::Bits(bits)))?)
            }
        };
        let counted: Vec<bool> = counted.as_array().iter().copied().collect();
        let part = PartialMetrics::new(&counted, resolution).map_err(failure)?;
        Ok(Self { part: Mutex::new(part) })
    }

    /// Adds rows of scores, decisions and truth.
    fn add(
        &self,
        py: Python<'_>,
        scores: &Bound<'_, PyAny>,
        decisions: PyReadonlyArray2<'_, bool>,
        truth: PyReadonlyArray2<'_, bool>,
    ) -> PyResult<()> {
        if let Ok(scores) = scores.extract::<PyReadonlyArray2<'_, f32>>() {
            return self.add_rows(py, &scores, &decisions, &truth);
        }
        if let Ok(scores) = scores.extract::<PyReadonlyArray2<'_, f64>>() {
            return self.add_rows(py, &scores, &decisions, &truth);
        }
        Err(PyTypeError::new_err("scores must be a two-dimensional array of float32 or float64"))
    }

    /// Adds the rows of another one.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        py.detach(|| {
            let other = locked(&other.part).clone();
            locked(&self.part).merge(&other)
        })
        .map_err(failure)
    }

    fn rows(&self) -> u64 {
        locked(&self.part).rows()
    }

    fn classes(&self) -> usize {
        locked(&self.part).classes()
    }

    fn bits(&self) -> Option<u8> {
        match locked(&self.part).resolution() {
            Resolution::Exact => None,
            Resolution::Bits(bits) => Some(bits),
        }
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| locked(&self.part).to_bytes());
        PyBytes::new(py, &bytes)
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let part = py.detach(|| PartialMetrics::from_bytes(bytes)).map_err(failure)?;
        Ok(Self { part: Mutex::new(part) })
    }

    /// All metrics by name; then AU(PRC), macro AU(PRC), F-max, and the average precision of each class, each
    /// as value, lowest and highest.
    #[allow(clippy::type_complexity)]
    fn finish(
        &self,
        py: Python<'_>,
    ) -> (Vec<(&'static str, Option<f64>)>, Range, Range, Range, Vec<Range>) {
        let found = py.detach(|| locked(&self.part).finish());
        let metrics = found.metrics.iter().map(|(metric, value)| (metric.name(), value)).collect();
        let classes = found.classes.into_iter().map(range).collect();
        (metrics, range(found.auprc), range(found.macro_auprc), range(found.f_max), classes)
    }
}

impl PyPartialMetrics {
    fn add_rows<F: Score + Element>(
        &self,
        py: Python<'_>,
        scores: &PyReadonlyArray2<'_, F>,
        decisions: &PyReadonlyArray2<'_, bool>,
        truth: &PyReadonlyArray2<'_, bool>,
    ) -> PyResult<()> {
        let (scores, decisions, truth) =
            (scores.as_array(), decisions.as_array(), truth.as_array());
        let (shape, classes) = (scores.dim(), self.classes());
        if shape.1 != classes {
            let found = shape.1;
            return Err(PyValueError::new_err(format!("{found} columns for {classes} classes")));
        }
        if decisions.dim() != shape || truth.dim() != shape {
            return Err(PyValueError::new_err("scores, decisions and truth have different shapes"));
        }
        py.detach(|| {
            let (scores, decisions) = (scores.as_standard_layout(), decisions.as_standard_layout());
            let truth = truth.as_standard_layout();
            locked(&self.part).add(
                scores.as_slice().unwrap_or_default(),
                decisions.as_slice().unwrap_or_default(),
                truth.as_slice().unwrap_or_default(),
            )
        })
        .map_err(failure)
    }
}
