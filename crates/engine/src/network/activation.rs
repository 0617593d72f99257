//! Activations of hidden layers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a hidden unit does with its sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// `max(0, z)`: what the paper uses for its experiments.
    #[default]
    Relu,
    /// The hyperbolic tangent.
    Tanh,
}

impl Activation {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Relu, Self::Tanh];

    /// The name used in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Relu => "relu",
            Self::Tanh => "tanh",
        }
    }

    /// The value at `sum` and the derivative there; at 0 the derivative of `relu` is 0.
    #[inline(always)]
    pub fn value_and_slope(self, sum: f32) -> (f32, f32) {
        match self {
            Self::Relu if sum > 0.0 => (sum, 1.0),
            // Not a number stays none, so that a network that has left the numbers is noticed.
            Self::Relu if sum.is_nan() => (sum, 1.0),
            Self::Relu => (0.0, 0.0),
            Self::Tanh => {
                let value = sum.tanh();
                (value, 1.0 - value * value)
            }
        }
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An activation that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not an activation; there are `relu` and `tanh`")]
pub struct UnknownActivation(pub String);

impl FromStr for Activation {
    type Err = UnknownActivation;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|activation| activation.name() == name);
        found.ok_or_else(|| UnknownActivation(name.to_owned()))
    }
}
