//! CAMEL (Feng, An and He, AAAI 2019): collaboration-based multi-label learning.
//!
//! `G = (1 − α) I + α S` says how much of each class comes from the others, with sparse
//! [correlations](correlation) `S`. A kernel machine `f` and labels `Z` between its outputs and the
//! truth `Y` (±1) are fitted to each other in turn:
//!
//! - `H = K / λ₂ + I`, `b = 1ᵀH⁻¹Z / 1ᵀH⁻¹1`, `A = H⁻¹(Z − 1b)`, and the outputs `K A / λ₂ + 1b = Z − A`;
//! - `Z = (Z − A + Y Gᵀ)(I + G Gᵀ)⁻¹`, first `Z = Y`.
//!
//! The score of a row is `f = (k(x)ᵀ A / λ₂ + b) G`, about 1 for classes it has and −1 for others. Its
//! logit is 2 f, so that the probability is (1 + f) / 2 where the sign is in doubt. Nothing is random.

mod correlation;
mod kernel;
mod settings;
mod turns;

use pulp::Arch;
use rulebound_core::LabelId;

use super::fitted::Fitted;
use super::logistic::each_row;
use super::matrix::{Panels, invert_in_place, multiply};
use super::memory_need::expect_memory;
use super::named_tensors::{NamedTensors, TensorValues};
use super::rows::{FitError, FitRows};
use super::watch::Watch;
use kernel::{squared_distance, squared_distances};
pub use settings::CamelSettings;
pub(super) use settings::METHODS;
use turns::{Turns, collaboration};

/// The matrix of all pairs of more rows is too large.
const MOST_ROWS: usize = 20_000;

/// A kernel machine over the training rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Camel {
    inputs: usize,
    classes: usize,
    /// The training rows.
    rows: Vec<f32>,
    /// The factor of the squared distance in the exponent.
    gamma: f64,
    /// `A G / λ₂`, row by row, and `b G`.
    coefficients: Vec<f64>,
    biases: Vec<f64>,
}

impl Camel {
    /// Fits classifier and labels to each other.
    ///
    /// # Errors
    /// [`FitError`]: stopped; too many rows, or rows that are all the same; numbers without bound.
    pub fn fit(
        rows: &FitRows<'_>,
        settings: &CamelSettings,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        let (count, classes) = (rows.rows(), rows.classes());
        let all = settings.rounds + 1;
        if count > MOST_ROWS {
            return Err(FitError::Unsuitable {
                method: "camel",
                what: format!(
                    "{count} training rows are more than {MOST_ROWS}: all pairs are compared"
                ),
                hint: "train on a part of the rows, or use another method",
            });
        }
        // The kernel, and panels of it and of the labels while it is inverted.
        let most = count as u128 * (count as u128 + 4 * classes as u128 + 200);
        expect_memory("camel", most)?;
        let (mut kernel, distance) = squared_distances(rows.inputs(), rows.width(), count);
        if count < 2 || distance == 0.0 {
            return Err(FitError::Unsuitable {
                method: "camel",
                what: "all training rows are the same".into(),
                hint: "the kernel needs rows that differ",
            });
        }
        let gamma = 1.0 / (2.0 * distance * distance);
        if !gamma.is_finite() {
            return Err(diverged("the distances of the rows"));
        }
        for (at, value) in kernel.iter_mut().enumerate() {
            let one = if at / count == at % count { 1.0 } else { 0.0 };
            *value = (-gamma * *value).exp() / settings.lambda + one;
        }
        let sign = |at: usize| {
            let has = rows.labels().contains(at / classes, LabelId::new(at % classes));
            if has { 1.0 } else { -1.0 }
        };
        let truth: Vec<f64> = (0..count * classes).map(sign).collect();
        let collaboration = collaboration(&truth, classes, settings, watch)?;
        watch.done(0, all)?;
        if !invert_in_place(&mut kernel, count) {
            return Err(diverged("the kernel of the rows"));
        }
        watch.done(1, all)?;
        let turns = Turns::new(&truth, kernel, &collaboration, classes)?;
        let (dual, biases) = turns.take(truth.clone(), settings.rounds, watch)?;
        let panels = Panels::from_rows(&collaboration, classes);
        let mut coefficients = multiply(&dual, &panels);
        coefficients.iter_mut().for_each(|value| *value /= settings.lambda);
        let biases = multiply(&biases, &panels);
        if coefficients.iter().chain(&biases).any(|value| !value.is_finite()) {
            return Err(diverged("the coefficients"));
        }
        let (inputs, rows) = (rows.width(), rows.inputs().to_vec());
        Ok(Self { inputs, classes, rows, gamma, coefficients, biases })
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of training rows.
    pub fn rows(&self) -> usize {
        self.coefficients.len() / self.classes.max(1)
    }

    fn scores(&self, row: &[f32], arch: Arch) -> Vec<f64> {
        let mut scores = self.biases.clone();
        arch.dispatch(|| self.add_kernels(row, &mut scores));
        scores
    }

    #[inline(always)]
    fn add_kernels(&self, row: &[f32], scores: &mut [f64]) {
        for (number, coefficients) in self.coefficients.chunks_exact(self.classes).enumerate() {
            let other = &self.rows[number * self.inputs..][..self.inputs];
            let kernel = (-self.gamma * squared_distance(row, other)).exp();
            scores.iter_mut().zip(coefficients).for_each(|(score, c)| *score += kernel * c);
        }
    }

    /// Reads the arrays of a model file.
    ///
    /// # Errors
    /// A sentence about what is missing or wrong.
    pub fn from_tensors(
        mut tensors: NamedTensors,
        inputs: usize,
        classes: usize,
    ) -> Result<Self, String> {
        let (row_shape, rows) = tensors.take_f32("rows", 2)?;
        let (shape, coefficients) = tensors.take_f64("coefficients", 2)?;
        let (bias_shape, biases) = tensors.take_f64("biases", 1)?;
        let (_, gamma) = tensors.take_f64("gamma", 1)?;
        if row_shape[1] != inputs || shape != [row_shape[0], classes] || bias_shape != [classes] {
            return Err(format!("the arrays are not of {inputs} inputs and {classes} classes"));
        }
        let [gamma] = gamma[..] else {
            return Err("`gamma` is not one number".into());
        };
        let finite = coefficients.iter().chain(&biases).all(|value| value.is_finite());
        let finite = finite && gamma.is_finite() && rows.iter().all(|value| value.is_finite());
        if !finite || gamma < 0.0 {
            return Err("some numbers are not finite".into());
        }
        Ok(Self { inputs, classes, rows, gamma, coefficients, biases })
    }
}

impl Fitted for Camel {
    fn describe(&self, _members: usize) -> String {
        format!("a kernel machine over {} rows", self.rows())
    }

    fn classes(&self) -> usize {
        self.classes
    }

    fn parameters(&self) -> usize {
        self.coefficients.len() + self.biases.len()
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        let arch = Arch::new();
        each_row(inputs, self.inputs, logits, self.classes, |row, out| {
            let scores = self.scores(row, arch);
            out.iter_mut().zip(scores).for_each(|(out, score)| *out = 2.0 * score as f32);
        });
    }

    fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        let rows = self.rows();
        tensors.insert("rows", &[rows, self.inputs], TensorValues::F32(self.rows.clone()));
        let coefficients = TensorValues::F64(self.coefficients.clone());
        tensors.insert("coefficients", &[rows, self.classes], coefficients);
        tensors.insert("biases", &[self.classes], TensorValues::F64(self.biases.clone()));
        tensors.insert("gamma", &[1], TensorValues::F64(vec![self.gamma]));
        tensors
    }
}

fn diverged(what: &str) -> FitError {
    FitError::Diverged { method: "camel", what: what.into() }
}

#[cfg(test)]
mod tests {
    use super::super::reference_problem::{ReferenceProblem, damaged};
    use super::*;

    fn fitted(problem: &ReferenceProblem, settings: &CamelSettings) -> Camel {
        problem.fit(|rows| Camel::fit(rows, settings, &Watch::idle()).unwrap())
    }

    #[test]
    fn scores_are_those_of_the_transcription() {
        let problem = ReferenceProblem::read();
        let settings = [("columns", CamelSettings::default()), ("rows", CamelSettings::paper())];
        for (name, settings) in settings {
            let camel = fitted(&problem, &settings);
            let logits = problem.logits(|inputs, logits| camel.logits(inputs, logits));
            for (at, row) in problem.test.chunks(problem.width).enumerate() {
                let scores = camel.scores(row, Arch::new());
                for (class, (found, expected)) in
                    scores.iter().zip(&problem.camel[name][at]).enumerate()
                {
                    assert!((found - expected).abs() < 1e-9, "{name}: {found} {expected}");
                    assert_eq!(logits[at * problem.classes + class], 2.0 * *found as f32);
                }
            }
        }
    }

    #[test]
    fn rows_that_are_all_the_same_are_refused() {
        let mut problem = ReferenceProblem::read();
        problem.inputs.fill(1.0);
        let settings = CamelSettings::default();
        let error = problem.fit(|rows| Camel::fit(rows, &settings, &Watch::idle()).unwrap_err());
        let expected = "camel: all training rows are the same; the kernel needs rows that differ";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn arrays_are_not_believed() {
        let problem = ReferenceProblem::read();
        let camel = fitted(&problem, &CamelSettings::default());
        let (width, classes) = (problem.width, problem.classes);
        assert_eq!(Camel::from_tensors(camel.tensors(), width, classes), Ok(camel.clone()));
        for (what, arrays) in damaged(&camel.tensors()) {
            assert!(Camel::from_tensors(arrays, width, classes).is_err(), "{what}");
        }
    }
}
