//! How label sets are drawn and fitted.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::logistic::LogisticSettings;
use super::Labelsets;
use crate::bad_configuration::{BadConfiguration, Checks};
use crate::learner::{
    Abilities, Fit, FitError, FitTask, FittedMember, LearnerMethod, LearnerOption, LearnerSettings,
    NamedTensors, Restored, learner_options,
};

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
}

const OPTIONS: &[LearnerOption] = learner_options!(LabelsetSettings:
    Count "labelsets" "N" "number of label sets [default: twice the number of classes]" |of, n| of.sets = Some(n);
    Count "labelset-size" "K" "number of classes in a label set [default: 3]" |of, n| of.size = n;
    Number "inverse-penalty" "C" "inverse of the regularisation strength, C [default: 1]" |of, n| of.logistic.c = n;
);

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 2] = [
    LearnerMethod {
        name: "rakel",
        about: "RAkEL: logistic regressions over overlapping label sets",
        settings: || LabelsetSettings::default().into(),
        options: OPTIONS,
    },
    LearnerMethod {
        name: "rakel-d",
        about: "RAkELd: logistic regressions over a partition into label sets",
        settings: || LabelsetSettings::partition().into(),
        options: OPTIONS.split_at(1).1,
    },
];

impl Fit for LabelsetSettings {
    fn kind(&self) -> &'static str {
        "labelsets"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let sets = self.sets.unwrap_or(1);
        let (is_size, is_count) = ((1..=10).contains(&self.size), (1..=100_000).contains(&sets));
        let checks = Checks::new()
            .expect(is_size, "the size of label sets", self.size, "from 1 to 10")
            .expect(is_count, "the number of label sets", sets, "from 1 to 100000");
        [self.logistic.mistakes(), checks.mistakes()].concat()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(FittedMember::at_once(Labelsets::fit(task.rows, self, task.seed, &task.watch)?))
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            has_own_members: true,
            is_deterministic: self.draw == LabelsetDraw::Paper,
            ..Abilities::default()
        }
    }

    fn restore(&self, tensors: NamedTensors, inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(Labelsets::from_tensors(tensors, inputs, classes)?))
    }

    fn counted(&self, count: usize) -> Option<LearnerSettings> {
        let is_counted = self.draw == LabelsetDraw::Overlapping;
        is_counted.then(|| Self { sets: Some(count), ..*self }.into())
    }
}
