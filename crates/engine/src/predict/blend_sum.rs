//! The weighted mean of probabilities, from logits to logits.
//!
//! Both a probability and its complement are summed, in 64 bits, so that neither a very small nor a
//! very large one is rounded away. If all have the same logit, it is theirs up to rounding.

use rayon::prelude::*;

/// Cells that one thread takes at a time.
const AT_ONCE: usize = 1 << 13;

/// A sum of probabilities.
#[derive(Clone, Debug)]
pub(crate) struct BlendSum {
    with: Vec<f64>,
    without: Vec<f64>,
}

impl BlendSum {
    /// Nothing yet.
    pub(crate) fn new(cells: usize) -> Self {
        Self { with: vec![0.0; cells], without: vec![0.0; cells] }
    }

    /// Adds the probabilities of all cells.
    pub(crate) fn add(&mut self, weight: f64, logits: &[f32]) {
        self.add_at(0, weight, logits);
    }

    /// Adds the probabilities of some cells, from this one on.
    pub(super) fn add_at(&mut self, first: usize, weight: f64, logits: &[f32]) {
        let cells = first..first + logits.len();
        let with = self.with[cells.clone()].par_chunks_mut(AT_ONCE);
        let sums = with.zip(self.without[cells].par_chunks_mut(AT_ONCE));
        sums.zip(logits.par_chunks(AT_ONCE)).for_each(|((with, without), logits)| {
            for ((with, without), &logit) in with.iter_mut().zip(without).zip(logits) {
                let logit = f64::from(logit);
                *with += weight / (1.0 + (-logit).exp());
                *without += weight / (1.0 + logit.exp());
            }
        });
    }

    /// The logits of the means.
    pub(crate) fn write(&self, logits: &mut [f32]) {
        let sums = self.with.par_chunks(AT_ONCE).zip(self.without.par_chunks(AT_ONCE));
        sums.zip(logits.par_chunks_mut(AT_ONCE)).for_each(|((with, without), logits)| {
            for (logit, (with, without)) in logits.iter_mut().zip(with.iter().zip(without)) {
                *logit = (with.ln() - without.ln()) as f32;
            }
        });
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
