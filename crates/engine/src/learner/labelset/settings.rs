//! How label sets are drawn and fitted.

use serde::{Deserialize, Serialize};

use super::super::logistic::LogisticSettings;
use crate::bad_configuration::BadConfiguration;

rulebound_core::named_enum! {
    /// How classes are put into label sets.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum LabelsetDraw: "a way to draw label sets" {
        /// Sets that overlap, none twice: random orders of all classes, one after the other, are cut
        /// into sets, so that every class is in about as many.
        Overlapping = "overlapping",
        /// A random partition.
        Partition = "partition",
        /// The partition that scikit-multilearn draws from Python's random numbers of seed 0,
        /// whatever the seed of the run: the paper's.
        Paper = "paper",
    }
}

/// How label sets are drawn and fitted.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelsetSettings {
    /// How the sets are drawn.
    pub draw: LabelsetDraw,
    /// The number of classes in a set.
    pub size: usize,
    /// The number of overlapping sets; twice the number of classes if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<usize>,
    /// The regressions.
    pub logistic: LogisticSettings,
}

impl Default for LabelsetSettings {
    /// Overlapping sets of three, twice as many as classes.
    fn default() -> Self {
        let draw = LabelsetDraw::Overlapping;
        Self { draw, size: 3, sets: None, logistic: LogisticSettings::default() }
    }
}

impl LabelsetSettings {
    /// A random partition into sets of three.
    pub fn partition() -> Self {
        Self { draw: LabelsetDraw::Partition, ..Self::default() }
    }

    /// What the paper ran under the name of RAKEL: one partition into sets of three, and the
    /// regressions of scikit-learn's defaults.
    pub fn paper() -> Self {
        let draw = LabelsetDraw::Paper;
        Self { draw, logistic: LogisticSettings::paper(), ..Self::default() }
    }

    /// What is invalid.
    pub fn mistakes(&self) -> Vec<BadConfiguration> {
        let mut mistakes = self.logistic.mistakes();
        let mut wrong = |what, found: usize, expected| {
            mistakes.push(BadConfiguration { what, found: found.to_string(), expected });
        };
        if !(1..=10).contains(&self.size) {
            wrong("the size of label sets", self.size, "from 1 to 10");
        }
        if let Some(sets) = self.sets.filter(|sets| !(1..=100_000).contains(sets)) {
            wrong("the number of label sets", sets, "from 1 to 100000");
        }
        mistakes
    }
}
