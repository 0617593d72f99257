//! Numbers from a seed, the same on every machine.

/// A linear congruential generator: good enough to make test data, and nothing to depend on.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Numbers from this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// An integer below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}
