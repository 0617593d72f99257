//! Logistic regression: one per class (`br`), and what [chains](super::chain) and
//! [label sets](super::labelset) are made of.
//!
//! ```text
//! FitRows ── Design ──> Regressions ── fit: lockstep L-BFGS ──> coefficients ──> Weights
//! ```
//!
//! The minimum is that of scikit-learn's `LogisticRegression`: ½‖w‖² + C Σ loss, intercept free. A
//! class that all training rows have, or none, cannot be fitted: its logit is ∓∞.

mod design;
mod line_search;
mod minimizer;
mod regression;
mod settings;
mod weights;

use rayon::prelude::*;
use rulebound_core::LabelId;

pub(super) use design::Design;
pub(super) use regression::{Pieces, Regression, fit};
pub use settings::LogisticSettings;
pub(super) use settings::METHODS;
pub(super) use weights::Weights;

use super::fitted::Fitted;
use super::named_tensors::NamedTensors;
use super::rows::{FitError, FitRows};
use super::watch::Watch;

/// Rows whose logits a thread computes at once.
pub(super) const ROWS_AT_ONCE: usize = 16;

/// Whether all rows agree on a class: `Some(true)` if all have it, `Some(false)` if none has.
pub(super) fn constant(rows: &FitRows<'_>, class: usize) -> Option<bool> {
    let mut has = (0..rows.rows()).map(|row| rows.labels().contains(row, LabelId::new(class)));
    let first = has.next().unwrap_or(false);
    has.all(|other| other == first).then_some(first)
}

/// The target of each row: 1 if it has the class.
pub(super) fn targets(rows: &FitRows<'_>, class: usize) -> Vec<u32> {
    let has = |row| u32::from(rows.labels().contains(row, LabelId::new(class)));
    (0..rows.rows()).map(has).collect()
}

/// The logit of a class that is always so.
pub(super) fn certain(is_true: bool) -> f64 {
    if is_true { f64::INFINITY } else { f64::NEG_INFINITY }
}

/// Binary relevance: one logistic regression per class.
#[derive(Clone, PartialEq, Debug)]
pub struct LogisticSet {
    weights: Weights,
}

impl LogisticSet {
    /// Fits one regression per class. Nothing is random.
    ///
    /// # Errors
    /// [`FitError`]: stopped, or inputs that are not finite.
    pub fn fit(
        rows: &FitRows<'_>,
        settings: &LogisticSettings,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        let design = Design::new(rows, &[])?;
        let constants: Vec<_> = (0..rows.classes()).map(|class| constant(rows, class)).collect();
        let fitted: Vec<usize> =
            (0..rows.classes()).filter(|&class| constants[class].is_none()).collect();
        let regressions: Vec<Regression> = fitted
            .iter()
            .map(|&class| Regression {
                targets: targets(rows, class),
                classes: 2,
                visible: design.width(),
            })
            .collect();
        let pieces = Pieces { before: 0, all: fitted.len() };
        let coefficients = fit(&design, &regressions, settings, watch, pieces)?;
        let mut weights = Weights::never(rows.width(), rows.classes());
        for (&class, coefficients) in fitted.iter().zip(&coefficients) {
            weights.set(class, coefficients[0], &coefficients[1..]);
        }
        let none = vec![0.0; rows.width()];
        for (class, constant) in constants.into_iter().enumerate() {
            if let Some(is_true) = constant {
                weights.set(class, certain(is_true), &none);
            }
        }
        Ok(Self { weights })
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.weights.inputs()
    }

    /// The intercept of a class; ∓∞ if all training rows agreed on it.
    pub fn intercept(&self, class: usize) -> f64 {
        self.weights.bias(class)
    }

    /// The coefficient of an input for a class.
    pub fn coefficient(&self, class: usize, input: usize) -> f64 {
        self.weights.weight(class, input)
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
        Ok(Self { weights: Weights::load(&mut tensors, "", inputs, classes)? })
    }
}

impl Fitted for LogisticSet {
    fn describe(&self, _members: usize) -> String {
        "a logistic regression for each class".to_owned()
    }

    fn classes(&self) -> usize {
        self.weights.outputs()
    }

    fn parameters(&self) -> usize {
        self.weights.parameters()
    }

    fn logits(&self, inputs: &[f32], logits: &mut [f32]) {
        each_row(inputs, self.inputs(), logits, self.classes(), |row, out| {
            let mut scores = vec![0.0; self.classes()];
            self.weights.scores(row, &mut scores);
            out.iter_mut().zip(scores).for_each(|(out, score)| *out = score as f32);
        });
    }

    fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        self.weights.store(&mut tensors, "");
        tensors
    }
}

/// Calls `one` for each row with its logits, some rows at once on each thread.
///
/// # Panics
/// If the numbers of rows differ.
pub(super) fn each_row(
    inputs: &[f32],
    width: usize,
    logits: &mut [f32],
    classes: usize,
    one: impl Fn(&[f32], &mut [f32]) + Sync,
) {
    if classes == 0 {
        return;
    }
    let rows = logits.len() / classes;
    assert!(logits.len().is_multiple_of(classes) && inputs.len() == rows * width, "whole rows");
    logits.par_chunks_mut(ROWS_AT_ONCE * classes).enumerate().for_each(|(chunk, logits)| {
        for (row, logits) in logits.chunks_mut(classes).enumerate() {
            let row = chunk * ROWS_AT_ONCE + row;
            one(&inputs[row * width..][..width], logits);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::reference_problem::{ReferenceProblem, damaged};
    use super::*;

    fn fitted(problem: &ReferenceProblem, settings: &LogisticSettings) -> LogisticSet {
        problem.fit(|rows| LogisticSet::fit(rows, settings, &Watch::idle()).unwrap())
    }

    fn expect_near(set: &LogisticSet, expected: &BTreeMap<usize, Vec<f64>>, limit: f64) {
        for (&class, expected) in expected {
            assert!((set.intercept(class) - expected[0]).abs() < limit, "class {class}");
            for (input, expected) in expected[1..].iter().enumerate() {
                let found = set.coefficient(class, input);
                assert!((found - expected).abs() < limit, "class {class}: {found} {expected}");
            }
        }
    }

    /// The paper's figures are those of fits that were stopped, so the way matters.
    #[test]
    fn unconverged_coefficients_are_those_of_scikit_learn() {
        let problem = ReferenceProblem::read();
        let four = LogisticSettings { iterations: 4, ..LogisticSettings::default() };
        expect_near(&fitted(&problem, &four), &problem.four_iterations, 1e-9);
    }

    #[test]
    fn converged_coefficients_are_those_of_scikit_learn() {
        let problem = ReferenceProblem::read();
        let set = fitted(&problem, &LogisticSettings::default());
        expect_near(&set, &problem.coefficients, 1e-6);
        assert_eq!(set.intercept(3), f64::NEG_INFINITY);
        assert!((0..problem.width).all(|input| set.coefficient(3, input) == 0.0));
    }

    #[test]
    fn logits_are_the_plain_sums() {
        let problem = ReferenceProblem::read();
        let set = fitted(&problem, &LogisticSettings::default());
        let logits = problem.logits(|inputs, logits| set.logits(inputs, logits));
        for (at, &logit) in logits.iter().enumerate() {
            let (row, class) = (at / problem.classes, at % problem.classes);
            let row = &problem.test[row * problem.width..][..problem.width];
            let part = |(input, &x): (usize, &f32)| f64::from(x) * set.coefficient(class, input);
            let sum = set.intercept(class) + row.iter().enumerate().map(part).sum::<f64>();
            assert!(f64::from(logit) == sum || (f64::from(logit) - sum).abs() < 1e-6);
        }
        assert!(logits.iter().skip(3).step_by(5).all(|&logit| logit == f32::NEG_INFINITY));
    }

    #[test]
    fn few_iterations_stop_short_and_a_strong_penalty_shrinks() {
        let problem = ReferenceProblem::read();
        let far = LogisticSettings { iterations: 2, ..LogisticSettings::default() };
        let expected = problem.coefficients[&0][1];
        assert!((fitted(&problem, &far).coefficient(0, 0) - expected).abs() > 1e-4);
        let small = LogisticSettings { c: 1e-6, ..LogisticSettings::default() };
        assert!(fitted(&problem, &small).coefficient(0, 0).abs() < 1e-3);
    }

    #[test]
    fn arrays_are_not_believed() {
        let problem = ReferenceProblem::read();
        let set = fitted(&problem, &LogisticSettings::paper());
        let (width, classes) = (problem.width, problem.classes);
        assert_eq!(LogisticSet::from_tensors(set.tensors(), width, classes), Ok(set.clone()));
        assert!(LogisticSet::from_tensors(set.tensors(), width, classes + 1).is_err());
        for (what, arrays) in damaged(&set.tensors()) {
            assert!(LogisticSet::from_tensors(arrays, width, classes).is_err(), "{what}");
        }
    }

    #[test]
    fn a_fit_can_be_stopped() {
        let stop = std::sync::atomic::AtomicBool::new(true);
        let problem = ReferenceProblem::read();
        let settings = LogisticSettings::default();
        let stopped =
            problem.fit(|rows| LogisticSet::fit(rows, &settings, &Watch::new(&stop, &|_, _| {})));
        assert_eq!(stopped, Err(FitError::Stopped));
    }
}
