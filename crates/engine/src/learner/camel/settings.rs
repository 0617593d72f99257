//! How CAMEL is fitted.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Camel;
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, NamedTensors,
    Restored, learner_options,
};

/// How CAMEL is fitted.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CamelSettings {
    /// The share of the other classes in a class: α.
    pub alpha: f64,
    /// The regularisation strength of the kernel machine: λ₂.
    pub lambda: f64,
    /// How often classifier and labels are fitted to each other.
    pub rounds: usize,
    /// Whether the correlations of a class are the row of the matrix, as in the public Python
    /// program that the paper used, and not its column, as in the publication of CAMEL.
    pub correlations_in_rows: bool,
}

impl Default for CamelSettings {
    /// α = 0.1, λ₂ = 0.1 and 51 rounds, as the public program has them.
    fn default() -> Self {
        Self { alpha: 0.1, lambda: 0.1, rounds: 51, correlations_in_rows: false }
    }
}

impl CamelSettings {
    /// What the paper ran: the public Python program.
    pub fn paper() -> Self {
        Self { correlations_in_rows: true, ..Self::default() }
    }
}

const OPTIONS: &[LearnerOption] = learner_options!(CamelSettings:
    Number "collaboration" "P" "share of the other classes in a class [default: 0.1]" |of, n| of.alpha = n;
    Number "kernel-penalty" "L" "regularisation strength of the kernel machine [default: 0.1]" |of, n| of.lambda = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 1] = [LearnerMethod {
    name: "camel",
    about: "CAMEL: a kernel machine whose classes collaborate",
    settings: || CamelSettings::default().into(),
    options: OPTIONS,
}];

impl Fit for CamelSettings {
    fn kind(&self) -> &'static str {
        "camel"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let (alpha, lambda, rounds) = (self.alpha, self.lambda, self.rounds);
        Checks::new()
            .expect((0.0..=1.0).contains(&alpha), "alpha", alpha, "from 0 to 1")
            .expect(lambda > 0.0 && lambda <= 1e12, "lambda", lambda, "above 0, at most 1e12")
            .expect(rounds > 0, "rounds", rounds, "at least 1")
            .mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(FittedMember::at_once(Camel::fit(task.rows, self, &task.watch)?))
    }

    fn abilities(&self) -> Abilities {
        Abilities { is_deterministic: true, ..Abilities::default() }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(Camel::from_tensors(tensors, inputs, classes)?))
    }
}
