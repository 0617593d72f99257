//! The frequencies of the classes: the floor that every other method must be above.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::epochs::FittedMember;
use super::fit::{Abilities, Fit, FitTask, Restored};
use super::fitted::Fitted;
use super::named_tensors::{NamedTensors, TensorValues};
use super::registry::LearnerMethod;
use super::rows::{FitError, FitRows};
use super::watch::Watch;
use crate::bad_configuration::{BadConfiguration, Checks};

/// How frequencies are estimated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorSettings {
    /// Rows that are added, half of them with the class, so that no class is impossible; at least 0.
    pub pseudo_rows: f64,
}

impl Default for PriorSettings {
    fn default() -> Self {
        Self { pseudo_rows: 1.0 }
    }
}

/// The methods with these settings.
pub(in crate::learner) const METHODS: [LearnerMethod; 1] = [LearnerMethod {
    name: "prior",
    about: "Not a network: the frequency of each class, a floor to compare with",
    settings: || PriorSettings::default().into(),
    options: &[],
}];

impl Fit for PriorSettings {
    fn kind(&self) -> &'static str {
        "prior"
    }

    fn mistakes(&self) -> Vec<BadConfiguration> {
        let rows = self.pseudo_rows;
        let holds = (0.0..=1e6).contains(&rows);
        Checks::new().expect(holds, "pseudo-rows", rows, "a number from 0 to 1000000").mistakes()
    }

    fn fit(&self, task: &FitTask<'_>) -> Result<FittedMember, FitError> {
        Ok(FittedMember::at_once(Prior::fit(task.rows, self, &task.watch)?))
    }

    fn abilities(&self) -> Abilities {
        Abilities { is_deterministic: true, takes_untouched: true, ..Abilities::default() }
    }

    fn restore(&self, tensors: NamedTensors, _inputs: usize, classes: usize) -> Restored {
        Ok(Arc::new(Prior::from_tensors(tensors, classes)?))
    }
}

/// Predicts the frequency of each class in the training rows, whatever the row.
#[derive(Clone, PartialEq, Debug)]
pub struct Prior {
    logits: Vec<f32>,
}

impl Prior {
    /// Counts the labels.
    ///
    /// # Errors
    /// [`FitError::Stopped`].
    pub fn fit(
        rows: &FitRows<'_>,
        settings: &PriorSettings,
        watch: &Watch<'_>,
    ) -> Result<Self, FitError> {
        let mut counts = vec![0usize; rows.classes()];
        for row in 0..rows.rows() {
            rows.labels().positives(row).for_each(|class| counts[class.index()] += 1);
        }
        let half = settings.pseudo_rows / 2.0;
        let logit = |&count: &usize| {
            let (with, without) = (count as f64 + half, (rows.rows() - count) as f64 + half);
            (with.ln() - without.ln()) as f32
        };
        watch.done(rows.classes(), rows.classes())?;
        Ok(Self { logits: counts.iter().map(logit).collect() })
    }

    /// From its numbers.
    ///
    /// # Errors
    /// A sentence about what is invalid.
    pub fn from_tensors(mut tensors: NamedTensors, classes: usize) -> Result<Self, String> {
        let (_, logits) = tensors.take_f32("logits", 1)?;
        if logits.len() != classes {
            return Err(format!("`logits` has {} entries for {classes} classes", logits.len()));
        }
        match logits.iter().any(|logit| logit.is_nan()) {
            true => Err("`logits` has a value that is not a number".to_owned()),
            false => Ok(Self { logits }),
        }
    }
}

impl Fitted for Prior {
    fn describe(&self, _members: usize) -> String {
        "class frequencies".to_owned()
    }

    fn classes(&self) -> usize {
        self.logits.len()
    }

    fn parameters(&self) -> usize {
        self.logits.len()
    }

    fn logits(&self, _inputs: &[f32], logits: &mut [f32]) {
        for row in logits.chunks_exact_mut(self.logits.len().max(1)) {
            row.copy_from_slice(&self.logits);
        }
    }

    fn tensors(&self) -> NamedTensors {
        let mut tensors = NamedTensors::new();
        let values = TensorValues::F32(self.logits.clone());
        tensors.insert("logits", &[self.logits.len()], values);
        tensors
    }
}
