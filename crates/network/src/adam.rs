//! Adam as in PyTorch: L2 weight decay added to the gradient, bias correction, epsilon outside the
//! root.

use pulp::Simd;

use super::optimizer::Optimizer;

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

/// Moments smaller than this become 0: they would change no weight, but subnormal numbers make
/// every operation slow.
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

impl Adam {
    /// The factors that change with the step: for `m`, and for `√v`.
    pub fn rates(&self) -> [f32; 2] {
        [self.rate, self.root]
    }
}

impl Optimizer for Adam {
    #[inline(always)]
    fn update<S: Simd>(self, simd: S, gradient: S::f32s, [w, m, v]: [S::f32s; 3]) -> [S::f32s; 3] {
        let all = |value: f32| simd.splat_f32s(value);
        let (zero, tiny) = (all(0.0), all(TINY));
        let g = simd.mul_add_f32s(all(self.decay), w, gradient);
        let m = simd.mul_add_f32s(all((1.0 - BETA1) as f32), simd.sub_f32s(g, m), m);
        let risen = simd.mul_f32s(all((1.0 - BETA2) as f32), g);
        let v = simd.mul_add_f32s(risen, g, simd.mul_f32s(all(BETA2 as f32), v));
        let m = simd.select_f32s(simd.less_than_f32s(simd.abs_f32s(m), tiny), zero, m);
        let v = simd.select_f32s(simd.less_than_f32s(v, tiny), zero, v);
        let below = simd.mul_add_f32s(simd.sqrt_f32s(v), all(self.root), all(EPSILON));
        let w = simd.mul_add_f32s(all(-self.rate), simd.div_f32s(m, below), w);
        [w, m, v]
    }
}
