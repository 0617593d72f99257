//! Rules that hold among labels.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rulebound::dataset::LabelMatrix;
use rulebound::mine::{MinedRule, Options};
use rulebound_core::{LabelId, Labels, Program};

use crate::failure::value_error;
use crate::program::PyProgram;
use crate::threads;

/// The program of all mined rules, and the counts of each: rows with its body, and with its head too.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn mine(
    py: Python<'_>,
    labels: PyReadonlyArray2<'_, u8>,
    names: Vec<String>,
    min_support: Option<f64>,
    min_confidence: f64,
    max_body: usize,
    negation: bool,
    max_rules: usize,
) -> PyResult<(PyProgram, Vec<(usize, usize)>)> {
    let labels = labels.as_array();
    let names = Labels::new(names).map_err(|error| value_error(&error))?;
    if names.len() != labels.ncols() {
        let (found, columns) = (names.len(), labels.ncols());
        return Err(PyValueError::new_err(format!("{found} names for {columns} columns")));
    }
    let mut matrix = LabelMatrix::new(names.len());
    for row in labels.outer_iter() {
        let place = matrix.push_row();
        // What is not known is taken as not true.
        for (class, _) in row.iter().enumerate().filter(|(_, label)| **label == 1) {
            matrix.insert(place, LabelId::new(class));
        }
    }
    let min_support = min_support.unwrap_or_else(|| Options::meaningful_support(matrix.rows()));
    let options = Options {
        min_support,
        min_confidence,
        max_body,
        negation,
        max_rules,
        ..Options::default()
    };
    let search = || rulebound::mine::mine(&matrix, 0..matrix.rows(), &options);
    let mined = py.detach(|| threads::run(search));
    let mined = mined.map_err(|error| value_error(&error))?;
    let counts = mined.rules.iter().map(|rule: &MinedRule| (rule.body_rows, rule.hits)).collect();
    let rules = mined.rules.into_iter().map(|rule| rule.rule).collect();
    let program = Program::new(names, rules).map_err(|error| value_error(&error))?;
    Ok((PyProgram::new(program), counts))
}
