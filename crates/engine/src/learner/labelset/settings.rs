//! How label sets are drawn and fitted.

use serde::{Deserialize, Serialize};

use super::super::logistic::LogisticSettings;

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

/// Combinations of more classes are too many to fit.
const MOST_CLASSES: usize = 10;
const MOST_SETS: usize = 100_000;

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

    /// What is wrong with these settings, in words.
    pub fn mistake(&self) -> Option<String> {
        if self.size == 0 || self.size > MOST_CLASSES {
            let size = self.size;
            return Some(format!("label sets of {size} classes: there must be 1 to {MOST_CLASSES}"));
        }
        match self.sets {
            Some(sets) if sets == 0 || sets > MOST_SETS => {
                Some(format!("{sets} label sets: there must be 1 to {MOST_SETS}"))
            }
            _ => self.logistic.mistake(),
        }
    }
}
