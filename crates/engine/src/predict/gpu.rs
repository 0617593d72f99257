//! Networks and layer on a GPU.

use super::error::PredictError;
use super::predictions::Predictions;
use super::rows::FeatureRows;
use super::scorer::{Scorer, encode, is_out_of_range};
use crate::cuda::{CudaError, Gpu, GpuScorer};
use crate::dataset::Encoder;
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

/// Computes only the logits of rows on a GPU; calibration and layer run on the CPU.
pub(super) struct GpuLogits<'a> {
    encoder: Encoder<'a>,
    scorer: GpuScorer<'a>,
    encoded: Vec<f32>,
}

impl<'a> GpuLogits<'a> {
    pub(super) fn new(
        gpu: &'a Gpu,
        encoder: Encoder<'a>,
        model: &Model,
    ) -> Result<Self, PredictError> {
        let scorer = GpuScorer::new(gpu, model.members(), model.thresholds(), None)?;
        Ok(Self { encoder, scorer, encoded: Vec::new() })
    }
}

impl Scorer for GpuLogits<'_> {
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        encode(&self.encoder, rows, 0..rows.rows(), &mut self.encoded);
        Ok(self.scorer.logits(&self.encoded, logits)?)
    }

    fn is_out_of_range(&self, rows: FeatureRows<'_>, row: usize) -> bool {
        is_out_of_range(&self.encoder, rows, row)
    }
}
