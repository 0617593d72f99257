//! A small problem with the answers of other programs: `tests/fixtures/linear.json`, which says what
//! made it.

use std::collections::BTreeMap;

use rulebound_core::{LabelId, Labels, Program};
use serde::Deserialize;

use super::named_tensors::{NamedTensors, TensorValues};
use super::rows::FitRows;
use crate::dataset::LabelMatrix;

#[derive(Deserialize)]
pub(super) struct ReferenceProblem {
    pub classes: usize,
    pub width: usize,
    pub inputs: Vec<f32>,
    labels: Vec<u8>,
    /// Rows that were not fitted.
    pub test: Vec<f32>,
    /// The intercept and the coefficients of each class that is not constant.
    pub coefficients: BTreeMap<usize, Vec<f64>>,
    /// The same after four iterations.
    pub four_iterations: BTreeMap<usize, Vec<f64>>,
    /// The logits of the test rows along a chain in the order of the data, class by class.
    pub chain: BTreeMap<usize, Vec<f64>>,
    pub sets: Vec<Vec<usize>>,
    /// The probabilities of the test rows with these label sets.
    pub probabilities: Vec<Vec<f64>>,
    /// The scores of the test rows, with correlations in rows and in columns.
    pub camel: BTreeMap<String, Vec<Vec<f64>>>,
}

impl ReferenceProblem {
    pub fn read() -> Self {
        let text = include_str!("../../tests/fixtures/linear.json");
        serde_json::from_str(text).unwrap()
    }

    pub fn label_matrix(&self) -> LabelMatrix {
        let mut matrix = LabelMatrix::new(self.classes);
        for labels in self.labels.chunks(self.classes) {
            let row = matrix.push_row();
            for class in (0..self.classes).filter(|&class| labels[class] == 1) {
                matrix.insert(row, LabelId::new(class));
            }
        }
        matrix
    }

    /// Calls `with` with the rows to fit.
    pub fn fit<T>(&self, with: impl FnOnce(&FitRows<'_>) -> T) -> T {
        let names = (0..self.classes).map(|class| format!("class {class}"));
        let program = Program::new(Labels::new(names).unwrap(), Vec::new()).unwrap();
        let labels = self.label_matrix();
        with(&FitRows::new(&self.inputs, self.width, &labels, &program))
    }

    /// The test rows' logits, row-major.
    pub fn logits(&self, logits: impl FnOnce(&[f32], &mut [f32])) -> Vec<f32> {
        let mut out = vec![f32::NAN; self.test.len() / self.width * self.classes];
        logits(&self.test, &mut out);
        out
    }
}

/// Arrays with one of them taken out, cut short, or with a number that is not one: none of which a
/// learner may believe.
pub(super) fn damaged(tensors: &NamedTensors) -> Vec<(String, NamedTensors)> {
    let names: Vec<String> = tensors.iter().map(|(name, ..)| name.to_owned()).collect();
    let mut damaged = Vec::new();
    for name in &names {
        let mut changed =
            |what: &str, change: &dyn Fn(&mut Vec<usize>, &mut TensorValues) -> bool| {
                let mut arrays = NamedTensors::new();
                let mut is_changed = true;
                for (other, shape, values) in tensors.iter() {
                    let (mut shape, mut values) = (shape.to_vec(), values.clone());
                    if other == name {
                        is_changed = change(&mut shape, &mut values);
                    }
                    if !shape.is_empty() {
                        arrays.insert(other, &shape, values);
                    }
                }
                if is_changed {
                    damaged.push((format!("{name} {what}"), arrays));
                }
            };
        changed("missing", &|shape, _| {
            shape.clear();
            true
        });
        changed("shorter", &|shape, values| {
            if shape[0] == 0 {
                return false;
            }
            shape[0] -= 1;
            let length = shape.iter().product();
            match values {
                TensorValues::F32(values) => values.truncate(length),
                TensorValues::F64(values) => values.truncate(length),
                TensorValues::U32(values) => values.truncate(length),
            }
            true
        });
        changed("wrong", &|_, values| match values {
            TensorValues::F32(values) => values.first_mut().map(|v| *v = f32::NAN).is_some(),
            TensorValues::F64(values) => values.first_mut().map(|v| *v = f64::NAN).is_some(),
            TensorValues::U32(values) => values.first_mut().map(|v| *v = u32::MAX).is_some(),
        });
    }
    damaged
}
