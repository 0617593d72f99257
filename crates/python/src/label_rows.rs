//! Labels of rows under rules: completed, and which rules they break.

use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::completion::Completion;
use rulebound_core::{broken_requirements, logical_violations};

use crate::program::PyProgram;
use crate::scores::array;

/// Labels with what follows from them.
#[pyfunction]
pub fn close<'py>(
    py: Python<'py>,
    program: &PyProgram,
    labels: PyReadonlyArray2<'py, bool>,
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let (mut rows, shape) = rows(program, &labels)?;
    py.detach(|| {
        let mut completion = Completion::new(&program.program);
        let classes = shape.1.max(1);
        for row in rows.chunks_mut(classes) {
            completion.complete(row);
        }
    });
    array(py, shape, rows)
}

/// The rules and requirements that rows break: pairs of a row and the number of a rule; requirements are
/// counted after the rules.
#[pyfunction]
pub fn violations(
    py: Python<'_>,
    program: &PyProgram,
    labels: PyReadonlyArray2<'_, bool>,
) -> PyResult<Vec<(usize, usize)>> {
    let (rows, _) = rows(program, &labels)?;
    let program = &program.program;
    Ok(py.detach(|| {
        let broken = logical_violations(program, &rows);
        let mut broken: Vec<(usize, usize)> =
            broken.map(|violation| (violation.row, violation.rule.index())).collect();
        let first = program.rules().len();
        let required = broken_requirements(program, &rows);
        broken.extend(required.map(|(row, id)| (row, first + id.index())));
        broken.sort_unstable();
        broken
    }))
}

fn rows(
    program: &PyProgram,
    labels: &PyReadonlyArray2<'_, bool>,
) -> PyResult<(Vec<bool>, (usize, usize))> {
    let labels = labels.as_array();
    let (found, classes) = (labels.ncols(), program.program.labels().len());
    if found != classes {
        return Err(PyValueError::new_err(format!("{found} columns for {classes} classes")));
    }
    Ok((labels.iter().copied().collect(), labels.dim()))
}
