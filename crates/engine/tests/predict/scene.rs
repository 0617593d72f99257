//! A network that is any function, and the folder with shortcuts that tests of row readers have.

use rulebound::dataset::{Encoder, Pipeline, RowReader};
use rulebound::predict::{FeatureRows, PredictError, Scorer};

pub use crate::rows::{Scene, fit};

/// A network that is any function of encoded rows.
pub struct Function<'a, F> {
    encoder: Encoder<'a>,
    network: F,
}

impl<'a, F: FnMut(&[f32], &mut [f32])> Function<'a, F> {
    pub fn new(pipeline: &'a Pipeline, rows: &RowReader<'_>, network: F) -> Self {
        Self { encoder: pipeline.encoder(rows.columns()).unwrap(), network }
    }

    fn encoded(&self, rows: FeatureRows<'_>, row: usize) -> Vec<f32> {
        let mut cells = vec![0.0; rows.width()];
        rows.copy_row(row, &mut cells);
        let mut encoded = vec![0.0; self.encoder.width()];
        self.encoder.encode(&cells, &mut encoded);
        encoded
    }
}

impl<F: FnMut(&[f32], &mut [f32]) + Send + Sync> Scorer for Function<'_, F> {
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        let encoded: Vec<f32> = (0..rows.rows()).flat_map(|row| self.encoded(rows, row)).collect();
        (self.network)(&encoded, logits);
        Ok(())
    }

    fn is_out_of_range(&self, rows: FeatureRows<'_>, row: usize) -> bool {
        self.encoded(rows, row).iter().any(|feature| !feature.is_finite())
    }
}
