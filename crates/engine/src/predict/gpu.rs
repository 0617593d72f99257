//! Networks on a GPU: one with the layer, or several before they become one.

use super::error::PredictError;
use super::member_scorer::{encode, is_out_of_range};
use super::predictions::Predictions;
use super::rows::FeatureRows;
use super::scorer::Scorer;
use super::together::Together;
use crate::cuda::{CudaError, Gpu, GpuScorer};
use crate::dataset::Encoder;
use crate::explain::MemberDecisions;
use crate::model::Model;

/// Computes margins and delegates of rows on a GPU.
pub(super) struct GpuPredictor<'a> {
    encoder: Encoder<'a>,
    scorer: GpuScorer<'a>,
    is_coherent: bool,
    encoded: Vec<f32>,
}

impl<'a> GpuPredictor<'a> {
    pub(super) fn new(
        gpu: &'a Gpu,
        encoder: Encoder<'a>,
        model: &Model,
    ) -> Result<Self, PredictError> {
        let rules = model.rules();
        let scorer = GpuScorer::new(gpu, model.members(), model.thresholds(), rules)?;
        let is_coherent = rules.is_some();
        Ok(Self { encoder, scorer, is_coherent, encoded: Vec::new() })
    }

    /// Fills in the predictions; false where a logit is not a number.
    pub(super) fn predict(
        &mut self,
        rows: FeatureRows<'_>,
        out: &mut Predictions,
    ) -> Result<bool, PredictError> {
        encode(&self.encoder, rows, 0..rows.rows(), &mut self.encoded);
        let delegates = self.is_coherent.then_some(&mut out.delegates[..]);
        match self.scorer.margins(&self.encoded, &mut out.margins, delegates) {
            Err(CudaError::NotANumber) => return Ok(false),
            result => result?,
        }
        if !self.is_coherent {
            out.delegates_are_own();
        }
        Ok(!out.margins.iter().any(|margin| margin.is_nan()))
    }
}

/// Computes only the logits of each member on a GPU; what makes one of them, calibration and layer run on the
/// CPU.
pub(super) struct GpuMembers<'a> {
    encoder: Encoder<'a>,
    scorer: GpuScorer<'a>,
    /// How many there are, and what makes one of several.
    members: usize,
    together: Option<Together>,
    encoded: Vec<f32>,
    one: Vec<f32>,
}

impl<'a> GpuMembers<'a> {
    pub(super) fn new(
        gpu: &'a Gpu,
        encoder: Encoder<'a>,
        model: &Model,
    ) -> Result<Self, PredictError> {
        let scorer = GpuScorer::new(gpu, model.members(), model.thresholds(), None)?;
        let members = model.members().len();
        let together = (members > 1).then(|| model.together());
        Ok(Self { encoder, scorer, members, together, encoded: Vec::new(), one: Vec::new() })
    }
}

impl Scorer for GpuMembers<'_> {
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        encode(&self.encoder, rows, 0..rows.rows(), &mut self.encoded);
        let Some(together) = &mut self.together else {
            return Ok(self.scorer.logits(0, &self.encoded, logits)?);
        };
        self.one.resize(logits.len(), 0.0);
        together.begin(logits.len());
        for member in 0..self.members {
            self.scorer.logits(member, &self.encoded, &mut self.one)?;
            together.add(1.0 / self.members as f64, 0, &self.one);
        }
        together.write(logits);
        Ok(())
    }

    fn member_decisions(
        &mut self,
        rows: FeatureRows<'_>,
        row: usize,
    ) -> Result<Option<MemberDecisions>, PredictError> {
        let Some(together) = &mut self.together else { return Ok(None) };
        encode(&self.encoder, rows, row..row + 1, &mut self.encoded);
        let mut decisions = MemberDecisions::default();
        self.one.resize(together.classes(), 0.0);
        for member in 0..self.members {
            self.scorer.logits(member, &self.encoded, &mut self.one)?;
            decisions.add(1.0 / self.members as f64, together.delegates(&self.one));
        }
        Ok(Some(decisions))
    }

    fn is_out_of_range(&self, rows: FeatureRows<'_>, row: usize) -> bool {
        is_out_of_range(&self.encoder, rows, row)
    }
}
