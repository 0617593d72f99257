//! The methods that fit learners: those of this crate, and those that a program adds to them.
//!
//! A method is found by its name wherever a configuration, a model file or an option names it, and serde has no
//! place to hand a list through, so there is one registry for the whole program. A program with learners of its
//! own calls [`Method::register`](crate::train::Method::register) once, before anything else; from the first use
//! on the registry does not change, so what is known never depends on the order of calls or on threads.
//! Libraries do not register: they hand out their list of methods.

use std::sync::OnceLock;

use super::option::LearnerOption;
use super::settings::LearnerSettings;
use super::{camel, chain, clus, forest, labelset, level_network, lmlp, logistic, prior, two_way};

/// A method that is not a network: a learner under the name by which it is chosen.
#[derive(Clone, Copy, Debug)]
pub struct LearnerMethod {
    /// The name, which no other method has: `forest`.
    pub name: &'static str,
    /// A line of help.
    pub about: &'static str,
    /// The settings that it has by itself.
    pub settings: fn() -> LearnerSettings,
    /// Its options on a command line.
    pub options: &'static [LearnerOption],
}

/// The methods of this crate, in the order of help texts and of sections of model files.
const OWN: [&[LearnerMethod]; 10] = [
    &prior::METHODS,
    &logistic::METHODS,
    &chain::METHODS,
    &labelset::METHODS,
    &camel::METHODS,
    &clus::METHODS,
    &forest::METHODS,
    &lmlp::METHODS,
    &level_network::METHODS,
    &two_way::METHODS,
];

static METHODS: OnceLock<Vec<LearnerMethod>> = OnceLock::new();

/// Why methods could not be registered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Two methods have the same name.
    #[error("there are two methods with the name `{0}`")]
    Name(&'static str),
    /// The methods were already in use.
    #[error("learners must be registered before any method is used, and only once")]
    TooLate,
}

/// Adds methods to those of this crate.
pub(crate) fn register(methods: &[LearnerMethod]) -> Result<(), RegisterError> {
    let all = [&OWN.concat(), methods].concat();
    for (at, method) in all.iter().enumerate() {
        if all[..at].iter().any(|other| other.name == method.name) {
            return Err(RegisterError::Name(method.name));
        }
    }
    METHODS.set(all).map_err(|_| RegisterError::TooLate)
}

/// All methods that fit learners.
pub fn methods() -> &'static [LearnerMethod] {
    METHODS.get_or_init(|| OWN.concat())
}

/// The method of this name.
pub fn method(name: &str) -> Option<&'static LearnerMethod> {
    methods().iter().find(|method| method.name == name)
}

/// The sections of model files for learners, each once.
pub(crate) fn sections() -> Vec<(&'static str, u32)> {
    let mut sections = Vec::new();
    for section in methods().iter().map(|method| (method.settings)().section()) {
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    sections
}
