//! Calibration: the network's logits become logits whose probabilities are right on average.
//!
//! ```text
//! raw logits, truth ── Calibration::fit ──> Calibration
//! logits ── Calibration::logit, class by class ──> logits ── thresholds, layer ──> predictions
//! ```
//!
//! It is fitted on raw scores and applied before thresholds and the layer, so predictions obey the
//! rules as exactly as without it. Every map is strictly increasing in exact arithmetic and never
//! decreasing as computed: the ranking of rows within a class stays.

mod error;
mod isotonic;
mod temperature;

pub use error::CalibrationError;
pub use isotonic::IsotonicMap;

use rulebound_core::{FloatMargin, LabelId, Thresholds};
use serde::{Deserialize, Serialize};

use crate::labelled_scores::LabelledScores;

rulebound_core::named_enum! {
    /// How logits are calibrated.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum CalibrationMethod: "a calibration method" {
        /// All logits are divided by one number.
        #[default]
        Temperature = "temperature",
        /// Isotonic regression for each class with enough rows, the temperature for the others.
        Isotonic = "isotonic",
    }
}

/// Positives and negatives that a class needs for isotonic regression of its own.
pub const ISOTONIC_ROWS: usize = 10;

/// How the logits of each class are calibrated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    method: CalibrationMethod,
    /// How many rows it was fitted on.
    rows: usize,
    temperature: f64,
    /// For each class, its own map; none where the temperature applies.
    maps: Vec<Option<IsotonicMap>>,
}

impl Calibration {
    /// Fits it on raw logits, on the classes that are evaluated and the labels that are known.
    ///
    /// # Errors
    /// If no class that is evaluated has both a positive and a negative.
    ///
    /// # Panics
    /// If the sizes do not match.
    pub fn fit(
        method: CalibrationMethod,
        logits: &LabelledScores<'_, f32>,
    ) -> Result<Self, CalibrationError> {
        let (scores, truth) = (logits.scores(), logits.truth());
        assert_eq!(scores.len(), truth.len(), "one truth for each logit");
        let (classes, rows) = (logits.labels().len(), logits.rows());
        let mut all = Vec::new();
        let mut maps = vec![None; classes];
        for class in logits.evaluated_classes() {
            let cells = (0..rows).map(|row| row * classes + class);
            let pairs: Vec<(f64, bool)> = cells
                .filter(|&at| logits.counts(at))
                .map(|at| (f64::from(scores[at]), truth[at]))
                .filter(|(logit, _)| logit.is_finite())
                .collect();
            let positives = pairs.iter().filter(|(_, is_true)| *is_true).count();
            let enough = positives.min(pairs.len() - positives) >= ISOTONIC_ROWS;
            if method == CalibrationMethod::Isotonic && enough {
                maps[class] = Some(IsotonicMap::fit(&pairs));
            }
            all.extend(pairs);
        }
        let positives = all.iter().filter(|(_, is_true)| *is_true).count();
        if positives == 0 || positives == all.len() {
            return Err(CalibrationError::OneSided { rows });
        }
        Ok(Self { method, rows, temperature: temperature::fit(&all), maps })
    }

    /// The method.
    pub fn method(&self) -> CalibrationMethod {
        self.method
    }

    /// How many rows it was fitted on.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What logits are divided by where a class has no map of its own.
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// How many classes have a map of their own.
    pub fn isotonic_classes(&self) -> usize {
        self.maps.iter().flatten().count()
    }

    /// The map of a class of its own; none where the temperature applies.
    pub(crate) fn map(&self, label: LabelId) -> Option<&IsotonicMap> {
        self.maps[label.index()].as_ref()
    }

    /// The calibrated logit.
    pub fn logit(&self, label: LabelId, logit: f64) -> f64 {
        match &self.maps[label.index()] {
            Some(map) => map.logit(logit),
            None => logit / self.temperature,
        }
    }

    /// The thresholds of calibrated probabilities that decide as these do without calibration.
    #[must_use]
    pub fn thresholds(&self, thresholds: &Thresholds) -> Thresholds {
        let value = |class: usize| {
            let label = LabelId::new(class);
            let (_, value) = self.logit(label, thresholds.logit(label)).softplus_sigmoid();
            value.clamp(f64::MIN_POSITIVE, 1.0f64.next_down())
        };
        match Thresholds::new((0..thresholds.len()).map(value).collect()) {
            Ok(thresholds) => thresholds,
            Err(error) => unreachable!("clamped to the open interval: {error}"),
        }
    }

    /// What is wrong with it, if anything is.
    pub(crate) fn mistake(&self, classes: usize) -> Option<String> {
        if self.maps.len() != classes {
            return Some(format!("{} maps for {classes} classes", self.maps.len()));
        }
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return Some(format!("the temperature {}", self.temperature));
        }
        self.maps.iter().flatten().find_map(IsotonicMap::mistake)
    }
}
