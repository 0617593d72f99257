//! Dropout: which hidden units a step drops.

use rulebound_io::random::{Draws, Purpose};

/// Which hidden units a step drops: each with probability `rate`; those that stay are multiplied by
/// `1 / (1 − rate)`.
///
/// Unit `u` of row `r` after hidden layer `l` is dropped iff number `u` of
/// `Draws::in_epoch(seed, Purpose::Dropout(l), epoch)` in row `r` of the step, as a fraction of
/// 2³², is below `rate`.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    /// The dropout rate, from 0 to below 1.
    pub rate: f64,
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

    /// Draws below the first number drop a unit; the second is the factor of units that stay.
    pub fn limits(&self) -> (u64, f32) {
        ((self.rate * 4_294_967_296.0) as u64, (1.0 / (1.0 - self.rate)) as f32)
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
    /// The factors of units `4 * quad` to `4 * quad + 3` of a row: 0 or `1 / (1 − rate)`.
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

    /// The [`factors`](Self::factors) of neighbouring rows, the first of which is `first`, for each of
    /// the four units.
    #[inline(always)]
    pub(super) fn factors_of_rows<const ROWS: usize>(
        &self,
        quad: u32,
        first: u32,
    ) -> [[f32; ROWS]; 4] {
        let draws = self.draws.four_of_rows::<ROWS>(quad, first, self.step);
        let mut factors = [[0.0; ROWS]; 4];
        // A rate is below 1, so the limit fits: draws are compared in 32 bits.
        let below = self.below as u32;
        for (factors, draws) in factors.iter_mut().zip(&draws) {
            for row in 0..ROWS {
                factors[row] = if draws[row] >= below { self.scale } else { 0.0 };
            }
        }
        factors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_dropped_and_the_mean_is_kept() {
        let dropout = Dropout { rate: 0.7, seed: 3, epoch: 2, step: 9 };
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
    fn rate_zero_drops_nothing() {
        let dropout = Dropout { rate: 0.0, seed: 0, epoch: 0, step: 0 };
        assert!((0..1000).all(|quad| dropout.layer(0).factors(quad, 0) == [1.0; 4]));
    }

    #[test]
    fn rows_side_by_side_have_the_factors_of_each() {
        for rate in [0.0, 0.3, 0.999_999_999_9] {
            let dropout = Dropout { rate, seed: 1 << 40 | 5, epoch: 7, step: 3 }.layer(1);
            for (quad, first) in [(0, 0), (9, 64), (1000, 5)] {
                let together = dropout.factors_of_rows::<32>(quad, first);
                let of = |row: usize| together.map(|unit| unit[row]);
                assert!((0..32).all(|row| dropout.factors(quad, first + row as u32) == of(row)));
            }
        }
    }
}
