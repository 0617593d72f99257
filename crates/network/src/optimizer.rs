//! The update of a weight, given its gradient.

use pulp::Simd;

/// Updates weights and their two moments.
pub trait Optimizer: Copy + Send + Sync {
    /// The weights and moments after the step, given gradient, weights and moments.
    fn update<S: Simd>(self, simd: S, gradient: S::f32s, state: [S::f32s; 3]) -> [S::f32s; 3];
}

/// Stores the gradient in place of the first moment, and changes no weight: for tests of gradients.
#[derive(Clone, Copy, Debug)]
pub struct Record;

impl Optimizer for Record {
    #[inline(always)]
    fn update<S: Simd>(self, _: S, gradient: S::f32s, [w, _, v]: [S::f32s; 3]) -> [S::f32s; 3] {
        [w, gradient, v]
    }
}
