//! How chains are fitted.

use serde::{Deserialize, Serialize};

use super::super::logistic::LogisticSettings;
use crate::bad_configuration::BadConfiguration;

/// How chains are fitted.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainSettings {
    /// The number of chains whose probabilities are averaged.
    pub chains: usize,
    /// Whether each chain has a random order; otherwise that of the data.
    pub random_order: bool,
    /// The regressions.
    pub logistic: LogisticSettings,
}

impl Default for ChainSettings {
    /// Ten chains in random orders, as Read et al. have it; all rows in each.
    fn default() -> Self {
        Self { chains: 10, random_order: true, logistic: LogisticSettings::default() }
    }
}

impl ChainSettings {
    /// One chain in the order of the data.
    pub fn single() -> Self {
        Self { chains: 1, random_order: false, ..Self::default() }
    }

    /// What the paper ran under the name of ECC: one chain in the order of the data, and the
    /// regressions of scikit-learn's defaults.
    pub fn paper() -> Self {
        Self { logistic: LogisticSettings::paper(), ..Self::single() }
    }

    /// What is invalid.
    pub fn mistakes(&self) -> Vec<BadConfiguration> {
        let mut mistakes = self.logistic.mistakes();
        if !(1..=1000).contains(&self.chains) {
            let (what, found, expected) = ("chains", self.chains.to_string(), "from 1 to 1000");
            mistakes.push(BadConfiguration { what, found, expected });
        }
        mistakes
    }
}
