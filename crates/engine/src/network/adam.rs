//! Adam, as PyTorch's: L2 weight decay added to the gradient, bias correction, epsilon outside the
//! root.

use super::lanes::F8;

/// What becomes of a weight, given its gradient.
pub trait Optimizer: Copy + Send + Sync {
    /// Changes eight weights and their moments.
    fn update(self, gradient: F8, weight: &mut F8, first: &mut F8, second: &mut F8);
}

/// One step of Adam: what is the same for all weights.
///
/// `g ← g + decay·w`, `m ← m + (1−β₁)(g − m)`, `v ← β₂v + (1−β₂)g²`,
/// `w ← w − rate/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε)`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adam {
    decay: f32,
    rate: f32,
    root: f32,
}

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f32 = 1e-8;

/// Moments smaller than this become 0: they would change no weight, but numbers below the normal
/// ones make every operation slow.
const TINY: f32 = 1e-30;

impl Adam {
    /// Step number `step`, from 1.
    pub fn step(step: u64, learning_rate: f64, weight_decay: f64) -> Self {
        let power = |beta: f64| 1.0 - beta.powi(i32::try_from(step).unwrap_or(i32::MAX));
        Self {
            decay: weight_decay as f32,
            rate: (learning_rate / power(BETA1)) as f32,
            root: (1.0 / power(BETA2).sqrt()) as f32,
        }
    }
}

impl Optimizer for Adam {
    #[inline(always)]
    fn update(self, gradient: F8, weight: &mut F8, first: &mut F8, second: &mut F8) {
        const RISE1: f32 = (1.0 - BETA1) as f32;
        const RISE2: f32 = (1.0 - BETA2) as f32;
        const KEEP2: f32 = BETA2 as f32;
        for lane in 0..F8::LANES {
            let w = weight.0[lane];
            let g = self.decay.mul_add(w, gradient.0[lane]);
            let m = first.0[lane];
            let m = RISE1.mul_add(g - m, m);
            let v = (RISE2 * g).mul_add(g, KEEP2 * second.0[lane]);
            let m = if m.abs() < TINY { 0.0 } else { m };
            let v = if v < TINY { 0.0 } else { v };
            let below = v.sqrt().mul_add(self.root, EPSILON);
            weight.0[lane] = (-self.rate).mul_add(m / below, w);
            first.0[lane] = m;
            second.0[lane] = v;
        }
    }
}

/// Keeps the gradient where the first moment was, and changes no weight.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record;

#[cfg(test)]
impl Optimizer for Record {
    fn update(self, gradient: F8, _: &mut F8, first: &mut F8, _: &mut F8) {
        *first = gradient;
    }
}
