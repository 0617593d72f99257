//! Activation functions of hidden layers.

use serde::{Deserialize, Serialize};

rulebound_core::named_enum! {
    /// The activation function of hidden units.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Activation: "an activation function" {
        /// `max(0, z)`: what the paper uses for its experiments.
        #[default]
        Relu = "relu",
        /// The hyperbolic tangent.
        Tanh = "tanh",
    }
}

impl Activation {
    /// The same in 64 bits.
    pub(super) fn value_and_slope_f64(self, sum: f64) -> (f64, f64) {
        match self {
            Self::Relu if sum > 0.0 || sum.is_nan() => (sum, 1.0),
            Self::Relu => (0.0, 0.0),
            Self::Tanh => {
                let value = sum.tanh();
                (value, 1.0 - value * value)
            }
        }
    }

    /// The value at `sum` and the derivative there; at 0 the derivative of `relu` is 0.
    #[inline(always)]
    pub fn value_and_slope(self, sum: f32) -> (f32, f32) {
        match self {
            Self::Relu if sum > 0.0 => (sum, 1.0),
            // NaN stays NaN, so that a network that has diverged is noticed.
            Self::Relu if sum.is_nan() => (sum, 1.0),
            Self::Relu => (0.0, 0.0),
            Self::Tanh => {
                let value = sum.tanh();
                (value, 1.0 - value * value)
            }
        }
    }
}
