//! How logistic regressions are fitted.

use serde::{Deserialize, Serialize};

use crate::bad_configuration::BadConfiguration;

/// How logistic regressions are fitted: minimize ½‖w‖² + C · Σ −log p(y | x), the intercept not
/// penalised.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogisticSettings {
    /// The inverse of the regularisation strength.
    pub c: f64,
    /// The largest entry of the gradient, divided by the number of rows, at which a fit has
    /// converged.
    pub tolerance: f64,
    /// The number of L-BFGS iterations, at most.
    pub iterations: usize,
}

impl Default for LogisticSettings {
    /// Converged: a tolerance of 1e-8 in at most 1,000 iterations; C = 1.
    fn default() -> Self {
        Self { c: 1.0, tolerance: 1e-8, iterations: 1_000 }
    }
}

impl LogisticSettings {
    /// The defaults of scikit-learn, which the paper used: a tolerance of 1e-4 in at most 100
    /// iterations.
    pub fn paper() -> Self {
        Self { tolerance: 1e-4, iterations: 100, ..Self::default() }
    }

    /// What is invalid.
    pub fn mistakes(&self) -> Vec<BadConfiguration> {
        let (c, tolerance) = (self.c, self.tolerance);
        let checks = [
            (c > 0.0 && c <= 1e12, "C", c.to_string(), "above 0, at most 1e12"),
            (
                (0.0..=1.0).contains(&tolerance),
                "the tolerance",
                tolerance.to_string(),
                "from 0 to 1",
            ),
            (self.iterations > 0, "iterations", self.iterations.to_string(), "at least 1"),
        ];
        let wrong = checks.into_iter().filter(|(holds, ..)| !holds);
        wrong.map(|(_, what, found, expected)| BadConfiguration { what, found, expected }).collect()
    }
}
