//! How CAMEL is fitted.

use serde::{Deserialize, Serialize};

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

    /// What is wrong with these settings, in words.
    pub fn mistake(&self) -> Option<String> {
        if !(0.0..=1.0).contains(&self.alpha) {
            return Some(format!("{} is not a valid alpha: it must be from 0 to 1", self.alpha));
        }
        if !(self.lambda > 0.0 && self.lambda.is_finite()) {
            return Some(format!("{} is not a valid lambda: it must be above 0", self.lambda));
        }
        if self.rounds == 0 {
            return Some("0 rounds: CAMEL needs at least 1".into());
        }
        None
    }
}
