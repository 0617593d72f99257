//! Labels of rows under rules: completed, and which rules they break.

use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::completion::Completion;
use rulebound::predict::TopClasses;
use rulebound_core::{
    broken_requirements, known_broken_requirements, known_violations, logical_violations,
};

use crate::label_marks::LabelMarks;
use crate::program::PyProgram;
use crate::scores::array;

/// Labels with what follows from them, whatever those are that are not known.
#[pyfunction]
pub fn close<'py>(
    py: Python<'py>,
    program: &PyProgram,
    labels: PyReadonlyArray2<'py, u8>,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let LabelMarks { mut truth, mut known, shape } = rows(program, &labels)?;
    let classes = shape.1.max(1);
    py.detach(|| {
        let mut completion = Completion::new(&program.program);
        match &mut known {
            None => {
                for row in truth.chunks_mut(classes) {
                    completion.complete(row);
                }
            }
            Some(known) => {
                for (row, known) in truth.chunks_mut(classes).zip(known.chunks_mut(classes)) {
                    completion.complete_known(row, known);
                }
            }
        }
    });
    array(py, shape, LabelMarks::marks(&truth, known.as_deref()))
}

/// The highest classes of each row, and what follows from them.
#[pyfunction]
pub fn top_classes(
    py: Python<'_>,
    program: &PyProgram,
    logits: PyReadonlyArray2<'_, f32>,
    count: usize,
) -> PyResult<Vec<Vec<usize>>> {
    let (classes, logits) = (logits.as_array().ncols(), logits.as_slice()?);
    if classes != program.program.labels().len() {
        return Err(PyValueError::new_err("one logit per class is needed"));
    }
    Ok(py.detach(|| {
        let mut top = TopClasses::new(classes, Some(&program.program));
        let row = |row: &[f32]| {
            let row: Vec<f64> = row.iter().map(|&logit| f64::from(logit)).collect();
            top.of(&row, count).to_vec()
        };
        logits.chunks(classes.max(1)).map(row).collect()
    }))
}

/// The rules and requirements that rows break, as far as their labels are known: pairs of a row and the number of a
/// rule; requirements are counted after the rules.
#[pyfunction]
pub fn violations(
    py: Python<'_>,
    program: &PyProgram,
    labels: PyReadonlyArray2<'_, u8>,
) -> PyResult<Vec<(usize, usize)>> {
    let LabelMarks { truth, known, shape } = rows(program, &labels)?;
    let program = &program.program;
    let first = program.rules().len();
    let classes = shape.1.max(1);
    Ok(py.detach(|| {
        let mut broken: Vec<(usize, usize)> = match &known {
            None => {
                let rules = logical_violations(program, &truth);
                let rules = rules.map(|violation| (violation.row, violation.rule.index()));
                let required = broken_requirements(program, &truth);
                rules.chain(required.map(|(row, id)| (row, first + id.index()))).collect()
            }
            Some(known) => {
                let rows = truth.chunks(classes).zip(known.chunks(classes)).enumerate();
                let of_row = |(row, (truth, known))| {
                    let rules = known_violations(program, truth, known);
                    let required = known_broken_requirements(program, truth, known);
                    let rules = rules.map(move |id| (row, id.index()));
                    rules.chain(required.map(move |id| (row, first + id.index())))
                };
                rows.flat_map(of_row).collect()
            }
        };
        broken.sort_unstable();
        broken
    }))
}

fn rows(program: &PyProgram, labels: &PyReadonlyArray2<'_, u8>) -> PyResult<LabelMarks> {
    let marks = LabelMarks::new(labels);
    let (found, classes) = (marks.shape.1, program.program.labels().len());
    if found != classes {
        return Err(PyValueError::new_err(format!("{found} columns for {classes} classes")));
    }
    Ok(marks)
}
