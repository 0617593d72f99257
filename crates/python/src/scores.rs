//! Scores of NumPy arrays made coherent.

use numpy::ndarray::Array2;
use numpy::{Element, IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rulebound::apply::Applier;
use rulebound_core::{Delegate, FloatMargin};

use crate::failure::batch_error;
use crate::program::PyProgram;
use crate::{score_kind, threads};

type Applied<'py> =
    (Bound<'py, PyAny>, Option<Bound<'py, PyArray2<bool>>>, Option<Bound<'py, PyArray2<i64>>>);

/// Coherent scores of the same type, decisions, and delegates as places in `delegate_names`.
#[pyfunction]
#[pyo3(signature = (program, scores, kind, thresholds, decisions, delegates, parallel = true))]
#[allow(clippy::too_many_arguments)]
pub fn apply<'py>(
    py: Python<'py>,
    program: &PyProgram,
    scores: &Bound<'py, PyAny>,
    kind: &str,
    thresholds: Option<Vec<f64>>,
    decisions: bool,
    delegates: bool,
    parallel: bool,
) -> PyResult<Applied<'py>> {
    let thresholds = thresholds.as_deref();
    let what = What { kind, thresholds, decisions, delegates, parallel };
    if let Ok(scores) = scores.extract::<PyReadonlyArray2<'py, f32>>() {
        return run(py, program, &scores, what);
    }
    if let Ok(scores) = scores.extract::<PyReadonlyArray2<'py, f64>>() {
        return run(py, program, &scores, what);
    }
    Err(PyTypeError::new_err("scores must be a two-dimensional array of float32 or float64"))
}

/// What a class can be decided by: each class, its negation, the fact of each class, and that it never holds.
#[pyfunction]
pub fn delegate_names(program: &PyProgram) -> Vec<String> {
    let labels = program.program.labels();
    let literals = (0..2 * labels.len() as u32).map(Delegate::from_code);
    let facts = (0..labels.len() as u32).map(|class| Delegate::from_code(1 << 31 | class << 1));
    let never = (0..labels.len() as u32).map(|class| Delegate::from_code(1 << 31 | class << 1 | 1));
    literals
        .chain(facts)
        .chain(never)
        .map(|delegate| delegate.display(labels).to_string())
        .collect()
}

/// Below so many scores it is faster to stay on this thread.
const WORTH_A_THREAD: usize = 1 << 14;

struct What<'a> {
    kind: &'a str,
    thresholds: Option<&'a [f64]>,
    decisions: bool,
    delegates: bool,
    parallel: bool,
}

fn run<'py, F: FloatMargin + Element>(
    py: Python<'py>,
    program: &PyProgram,
    scores: &PyReadonlyArray2<'py, F>,
    what: What<'_>,
) -> PyResult<Applied<'py>> {
    let scores = scores.as_array();
    let shape = scores.dim();
    let classes = program.program.labels().len();
    if shape.1 != classes {
        let found = shape.1;
        let text = format!("{found} columns for {classes} classes");
        return Err(PyValueError::new_err(text));
    }
    let kind = score_kind::read(what.kind, what.thresholds)?;
    let thresholds = score_kind::thresholds(classes, what.thresholds)?;
    let applier = Applier::new(&program.program, program.layer()?, thresholds, kind);
    let size = shape.0 * shape.1;
    // Allocated by NumPy, whose large arrays are in large pages.
    let coherent = PyArray2::<F>::zeros(py, shape, false);
    let decided = what.decisions.then(|| PyArray2::<bool>::zeros(py, shape, false));
    let mut by = what.delegates.then(|| vec![Delegate::default(); size]);
    {
        let mut coherent = coherent.readwrite();
        let mut decided = decided.as_ref().map(|decided| decided.readwrite());
        let coherent = coherent.as_slice_mut()?;
        let decided = decided.as_mut().map(|decided| decided.as_slice_mut()).transpose()?;
        let done = py.detach(|| {
            let scores = scores.as_standard_layout();
            let scores = scores.as_slice().unwrap_or_default();
            let apply = || applier.apply(scores, coherent, decided, by.as_deref_mut());
            if size < WORTH_A_THREAD { apply() } else { threads::run_if(what.parallel, apply) }
        });
        done.map_err(|error| batch_error(py, &error))?;
    }
    let delegates = by.map(|by| array(py, shape, places(&by, classes))).transpose()?;
    Ok((coherent.into_any(), decided, delegates))
}

/// The places of delegates among [`delegate_names`].
pub fn places(delegates: &[Delegate], classes: usize) -> Vec<i64> {
    let place = |delegate: &Delegate| match delegate.fact() {
        Some(head) if delegate.is_never() => (3 * classes + head.index()) as i64,
        Some(head) => (2 * classes + head.index()) as i64,
        None => i64::from(delegate.code()),
    };
    delegates.iter().map(place).collect()
}

/// Values as an array of Python.
pub fn array<T: Element>(
    py: Python<'_>,
    shape: (usize, usize),
    values: Vec<T>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let array = Array2::from_shape_vec(shape, values);
    let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(array.into_pyarray(py))
}
