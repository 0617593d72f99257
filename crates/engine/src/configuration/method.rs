//! The ways to train and to predict that the paper compares.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What the loss and the predictions know of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Constraint loss and constraint layer: CCN(h), on hierarchies C-HMCNN(h).
    #[default]
    Ccn,
    /// Cross-entropy of the constraint layer's output: h + CM.
    Cm,
    /// Cross-entropy of the network alone; the layer only at prediction: h⁺, f⁺.
    Post,
    /// Cross-entropy of the network alone, and predictions that may break rules: h, f.
    None,
    /// An output for each class without those that imply it (A ∖ A₁), trained alone; the layer
    /// makes the unions at prediction: g⁺.
    Complement,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Ccn, Self::Cm, Self::Post, Self::None, Self::Complement];

    /// The name used in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ccn => "ccn",
            Self::Cm => "cm",
            Self::Post => "post",
            Self::None => "none",
            Self::Complement => "complement",
        }
    }

    /// Whether predictions go through the constraint layer, and so never break a rule.
    pub const fn is_coherent(self) -> bool {
        !matches!(self, Self::None)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A method that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a method; there are `ccn`, `cm`, `post`, `none` and `complement`")]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}
