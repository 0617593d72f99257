//! How logistic regressions are fitted.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::LogisticSet;
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, NamedTensors,
    Restored, learner_options,
};

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
}

const OPTIONS: &[LearnerOption] = learner_options!(LogisticSettings:
    Number "inverse-penalty" "C" "inverse of the regularisation strength, C [default: 1]" |of, n| of.c = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 1] = [LearnerMethod {
    name: "br",
    about: "Binary relevance: a logistic regression for each class",
    settings: || LogisticSettings::default().into(),
    options: OPTIONS,
}];

impl Fit for LogisticSettings {
    fn kind(&self) -> &'static str {
        "logistic"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let (c, tolerance, iterations) = (self.c, self.tolerance, self.iterations);
        Checks::new()
            .expect(c > 0.0 && c <= 1e12, "C", c, "above 0, at most 1e12")
            .expect((0.0..=1.0).contains(&tolerance), "the tolerance", tolerance, "from 0 to 1")
            .expect(iterations > 0, "iterations", iterations, "at least 1")
            .mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(FittedMember::at_once(LogisticSet::fit(task.rows, self, &task.watch)?))
    }

    fn abilities(&self) -> Abilities {
        Abilities { is_deterministic: true, ..Abilities::default() }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(LogisticSet::from_tensors(tensors, inputs, classes)?))
    }
}
