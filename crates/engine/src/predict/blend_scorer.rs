//! Several parts as one: each coherent by itself, then the weighted mean of their probabilities.

use super::error::PredictError;
use super::head::Head;
use super::predictions::Predictions;
use super::rows::FeatureRows;
use super::scorer::{PartScorer, Scorer};

/// The parts of a blend.
#[derive(Debug)]
pub(super) struct BlendScorer<'a> {
    parts: Vec<(f64, PartScorer<'a>)>,
    head: Head,
}

impl<'a> BlendScorer<'a> {
    /// Parts with their weights; those that count nothing are left out. The head makes each of them
    /// coherent.
    pub(super) fn new(parts: impl IntoIterator<Item = (f64, PartScorer<'a>)>, head: Head) -> Self {
        Self { parts: parts.into_iter().filter(|(weight, _)| *weight > 0.0).collect(), head }
    }
}

impl Scorer for BlendScorer<'_> {
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        let mut sum = BlendSum::new(logits.len());
        let mut one = vec![f32::NAN; logits.len()];
        let mut coherent = Predictions::default();
        for (weight, part) in &mut self.parts {
            part.logits(rows, &mut one)?;
            self.head.predict(&one, &mut coherent)?;
            sum.add(*weight, &coherent.logits());
        }
        sum.write(logits);
        Ok(())
    }

    fn is_out_of_range(&self, rows: FeatureRows<'_>, row: usize) -> bool {
        self.parts.iter().any(|(_, part)| part.is_out_of_range(rows, row))
    }
}

/// The weighted mean of probabilities, from logits to logits: the one way parts become one.
///
/// Both a probability and its complement are summed, in 64 bits, so that neither a very small nor a
/// very large one is rounded away. If all parts have the same logit, it is theirs up to rounding.
#[derive(Clone, Debug)]
pub(crate) struct BlendSum {
    with: Vec<f64>,
    without: Vec<f64>,
}

impl BlendSum {
    /// No part yet.
    pub(crate) fn new(cells: usize) -> Self {
        Self { with: vec![0.0; cells], without: vec![0.0; cells] }
    }

    /// Adds a part.
    pub(crate) fn add(&mut self, weight: f64, logits: &[f32]) {
        let sums = self.with.iter_mut().zip(&mut self.without);
        for ((with, without), &logit) in sums.zip(logits) {
            let logit = f64::from(logit);
            *with += weight / (1.0 + (-logit).exp());
            *without += weight / (1.0 + logit.exp());
        }
    }

    /// The logits of the means.
    pub(crate) fn write(&self, logits: &mut [f32]) {
        let sums = self.with.iter().zip(&self.without);
        for (logit, (with, without)) in logits.iter_mut().zip(sums) {
            *logit = (with.ln() - without.ln()) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blend_is_the_mean_of_probabilities() {
        let mut sum = BlendSum::new(5);
        let never = f32::NEG_INFINITY;
        sum.add(0.25, &[0.0, never, never, 100.0, f32::INFINITY]);
        sum.add(0.75, &[0.0, 0.0, never, 100.0, never]);
        let mut logits = [0.0; 5];
        sum.write(&mut logits);
        assert_eq!(logits[0], 0.0);
        assert!((logits[1] - (0.375f32 / 0.625).ln()).abs() < 1e-6, "{logits:?}");
        assert_eq!(logits[2], never);
        assert!((logits[3] - 100.0).abs() < 1e-4, "{logits:?}");
        assert!((logits[4] - (0.25f32 / 0.75).ln()).abs() < 1e-6, "{logits:?}");
    }
}
