//! How logistic regressions are fitted.

use serde::{Deserialize, Serialize};

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

    /// What is wrong with these settings, in words.
    pub fn mistake(&self) -> Option<String> {
        if !(self.c > 0.0 && self.c.is_finite()) {
            return Some(format!("{} is not a valid C: it must be above 0", self.c));
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Some(format!("{} is not a valid tolerance", self.tolerance));
        }
        if self.iterations == 0 {
            return Some("0 iterations: a logistic regression needs at least 1".into());
        }
        None
    }
}
