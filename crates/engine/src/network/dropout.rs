//! Dropout: which hidden units a step leaves out.

use crate::random::{Draws, Purpose};

/// Which hidden units a step leaves out: each with probability `share`, and those that stay count
/// `1 / (1 − share)` times.
///
/// Unit `u` of row `r` after hidden layer `l` is left out iff number `u` of
/// `Draws::in_epoch(seed, Purpose::Dropout(l), epoch)` in row `r` of the step, as a fraction of
/// 2³², is below `share`.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    /// The share that is left out, from 0 to below 1.
    pub share: f64,
    /// The seed of the run.
    pub seed: u64,
    /// The epoch, from 0.
    pub epoch: u32,
    /// The step in the epoch, from 0.
    pub step: u32,
}

impl Dropout {
    /// The factors after hidden layer `layer`.
    pub fn layer(&self, layer: u8) -> LayerDropout {
        let (below, scale) = self.limits();
        let draws = Draws::in_epoch(self.seed, Purpose::Dropout(layer), self.epoch);
        LayerDropout { draws, step: self.step, below, scale }
    }

    /// Numbers below the first leave a unit out; the second is the factor of those that stay.
    pub(crate) fn limits(&self) -> (u64, f32) {
        ((self.share * 4_294_967_296.0) as u64, (1.0 / (1.0 - self.share)) as f32)
    }
}

/// The factors of one layer.
#[derive(Clone, Copy, Debug)]
pub struct LayerDropout {
    draws: Draws,
    step: u32,
    below: u64,
    scale: f32,
}

impl LayerDropout {
    /// The factors of units `4 * quad` to `4 * quad + 3` of a row: 0 or `1 / (1 − share)`.
    #[inline(always)]
    pub fn factors(&self, quad: u32, row: u32) -> [f32; 4] {
        let four = self.draws.four(quad, row, self.step);
        let mut factors = [0.0; 4];
        for unit in 0..4 {
            let stays = u64::from(four[unit]) >= self.below;
            factors[unit] = if stays { self.scale } else { 0.0 };
        }
        factors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_left_out_and_the_mean_is_kept() {
        let dropout = Dropout { share: 0.7, seed: 3, epoch: 2, step: 9 };
        let of = |layer| -> Vec<f32> {
            (0..25_000).flat_map(|quad| dropout.layer(layer).factors(quad, 1)).collect()
        };
        let factors = of(0);
        let out = factors.iter().filter(|&&factor| factor == 0.0).count();
        assert!((69_000..71_000).contains(&out), "{out}");
        let mean = factors.iter().sum::<f32>() / factors.len() as f32;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert_ne!(factors, of(1));
    }

    #[test]
    fn nothing_is_left_out_of_a_share_of_nothing() {
        let dropout = Dropout { share: 0.0, seed: 0, epoch: 0, step: 0 };
        assert!((0..1000).all(|quad| dropout.layer(0).factors(quad, 0) == [1.0; 4]));
    }
}
