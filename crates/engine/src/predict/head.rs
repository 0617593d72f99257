//! Logits to predictions: the one place where calibration, margins, layer and decisions are put
//! together.
//!
//! Invariant after [`Head::predict`]: a class is predicted iff its margin is above 0, and then, and
//! only then, its probability is above its threshold. Under rules, predictions obey them.

use rulebound_core::{
    ConstraintLayer, LabelId, Labels, LayerError, LayerWorkspace, Margin, Program, Thresholds,
    UnsettledRows,
};

use super::predictions::Predictions;
use crate::calibration::Calibration;

/// What makes predictions of logits: thresholds, and the layer of the rules if there are any.
#[derive(Debug)]
pub struct Head {
    labels: Labels,
    thresholds: Thresholds,
    calibration: Option<Calibration>,
    layer: Option<(ConstraintLayer, LayerWorkspace<f32>)>,
    raw: Vec<f32>,
}

impl Head {
    /// Predictions that obey `rules`, or those of thresholds alone.
    ///
    /// # Panics
    /// If there is not one threshold for each class.
    pub fn new(labels: &Labels, thresholds: &Thresholds, rules: Option<&Program>) -> Self {
        assert_eq!(thresholds.len(), labels.len(), "one threshold for each class");
        let layer = rules.map(|program| {
            let layer = ConstraintLayer::new(program, thresholds.clone());
            let workspace = layer.workspace();
            (layer, workspace)
        });
        Self {
            labels: labels.clone(),
            thresholds: thresholds.clone(),
            calibration: None,
            layer,
            raw: Vec::new(),
        }
    }

    /// The same for logits that are calibrated first.
    #[must_use]
    pub fn calibrated(mut self, calibration: Option<&Calibration>) -> Self {
        self.calibration = calibration.cloned();
        self
    }

    /// Says what becomes of rows whose requirements cannot be settled.
    pub fn set_unsettled(&mut self, rows: UnsettledRows) {
        if let Some((layer, workspace)) = self.layer.take() {
            self.layer = Some((layer.with_unsettled(rows), workspace));
        }
    }

    /// The rows of the last batch that could not be settled and were passed on.
    pub fn unsettled(&self) -> Vec<LayerError> {
        self.layer.as_ref().map_or_else(Vec::new, |(_, workspace)| workspace.unsettled())
    }

    /// The logit of a class as thresholds and layer see it.
    pub fn logit(&self, label: LabelId, logit: f32) -> f32 {
        match &self.calibration {
            Some(calibration) => calibration.logit(label, f64::from(logit)) as f32,
            None => logit,
        }
    }

    /// The compiled rules, if there are any.
    pub(super) fn layer(&self) -> Option<&ConstraintLayer> {
        self.layer.as_ref().map(|(layer, _)| layer)
    }

    /// The margins of the last batch before the layer.
    pub(super) fn raw(&self) -> &[f32] {
        &self.raw
    }

    /// From where on classes are predicted.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// Fills `out` with what follows from these logits, row-major.
    ///
    /// # Errors
    /// [`LayerError`] where a logit is not a number, or there are not whole rows.
    pub fn predict(&mut self, logits: &[f32], out: &mut Predictions) -> Result<(), LayerError> {
        out.reset(&self.thresholds, logits.len());
        self.read(logits)?;
        match &mut self.layer {
            Some((layer, workspace)) => {
                layer.forward_with_delegates(
                    &self.raw,
                    &mut out.margins,
                    &mut out.delegates,
                    workspace,
                )?;
            }
            None => {
                out.margins.copy_from_slice(&self.raw);
                out.delegates_are_own();
            }
        }
        Ok(())
    }

    /// The margins alone that [`predict`](Self::predict) finds, without who decided.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub(super) fn margins(
        &mut self,
        logits: &[f32],
        margins: &mut Vec<f32>,
    ) -> Result<(), LayerError> {
        self.read(logits)?;
        margins.resize(logits.len(), 0.0);
        match &mut self.layer {
            Some((layer, workspace)) => layer.forward(&self.raw, margins, workspace)?,
            None => margins.copy_from_slice(&self.raw),
        }
        Ok(())
    }

    /// Logits as margins, before the layer.
    fn read(&mut self, logits: &[f32]) -> Result<(), LayerError> {
        let classes = self.thresholds.len();
        if let Some(at) = logits.iter().position(|logit| logit.is_nan()) {
            let label = self.labels.name(LabelId::new(at % classes)).to_owned();
            return Err(LayerError::NotANumber { row: at / classes, label });
        }
        self.raw.clear();
        self.raw.extend(logits.iter().enumerate().map(|(at, &logit)| {
            let label = LabelId::new(at % classes);
            let logit = match &self.calibration {
                Some(calibration) => calibration.logit(label, f64::from(logit)) as f32,
                None => logit,
            };
            Margin::canonical(self.thresholds.margin_of_logit(label, logit))
        }));
        Ok(())
    }
}
