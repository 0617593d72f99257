//! Lists of scores of NumPy arrays made coherent: rows of which few classes are listed.

use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rulebound::sparse::{Cut, ScoreLists, SparseApplier};
use rulebound_core::FloatMargin;

use crate::failure::sparse_error;
use crate::program::PyProgram;
use crate::scores::places;
use crate::{score_kind, threads};

type Integers<'py> = Bound<'py, PyArray1<i64>>;

/// Offsets, classes, scores and delegates.
type Lists<'py> = (Integers<'py>, Integers<'py>, Bound<'py, PyAny>, Option<Integers<'py>>);

/// Below so many scores it is faster to stay on this thread.
const WORTH_A_THREAD: usize = 1 << 12;

/// Coherent rows of the classes that are listed; delegates are places in `delegate_names`.
#[pyfunction]
#[pyo3(signature = (program, offsets, classes, scores, kind, thresholds, delegates, top, above, parallel = true))]
#[allow(clippy::too_many_arguments)]
pub fn apply_sparse<'py>(
    py: Python<'py>,
    program: &PyProgram,
    offsets: PyReadonlyArray1<'py, i64>,
    classes: PyReadonlyArray1<'py, i64>,
    scores: &Bound<'py, PyAny>,
    kind: &str,
    thresholds: Option<Vec<f64>>,
    delegates: bool,
    top: Option<usize>,
    above: Option<f64>,
    parallel: bool,
) -> PyResult<Lists<'py>> {
    let (offsets, classes) = (offsets.as_slice()?, classes.as_slice()?);
    let cut = Cut { top, above };
    let what = What { kind, thresholds: thresholds.as_deref(), delegates, cut, parallel };
    if let Ok(scores) = scores.extract::<PyReadonlyArray1<'py, f32>>() {
        return run(py, program, offsets, classes, scores.as_slice()?, what);
    }
    if let Ok(scores) = scores.extract::<PyReadonlyArray1<'py, f64>>() {
        return run(py, program, offsets, classes, scores.as_slice()?, what);
    }
    Err(PyTypeError::new_err("scores must be a one-dimensional array of float32 or float64"))
}

struct What<'a> {
    kind: &'a str,
    thresholds: Option<&'a [f64]>,
    delegates: bool,
    cut: Cut,
    parallel: bool,
}

fn run<'py, F: FloatMargin + Element>(
    py: Python<'py>,
    program: &PyProgram,
    offsets: &[i64],
    classes: &[i64],
    scores: &[F],
    what: What<'_>,
) -> PyResult<Lists<'py>> {
    let count = program.program.labels().len();
    let kind = score_kind::read(what.kind, what.thresholds)?;
    let thresholds = score_kind::thresholds(count, what.thresholds)?;
    let layer = program.sparse_layer()?;
    let is_f32 = size_of::<F>() == 4;
    let applier = SparseApplier::new(&program.program, layer, thresholds, kind, is_f32);
    let applier =
        applier.cut(what.cut).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let found = py.detach(|| {
        let lists = ScoreLists::new(offsets, classes, scores)?;
        let apply = || applier.apply(lists, what.delegates);
        if scores.len() < WORTH_A_THREAD { apply() } else { threads::run_if(what.parallel, apply) }
    });
    let found = found.map_err(|error| sparse_error(py, &error))?;
    let by = what.delegates.then(|| places(&found.delegates, count).into_pyarray(py));
    let scores = found.scores.into_pyarray(py).into_any();
    Ok((found.offsets.into_pyarray(py), found.classes.into_pyarray(py), scores, by))
}
