//! Eight numbers side by side: the unit in which weights are stored and worked on.
//!
//! Plain loops over eight numbers, which the compiler turns into vector instructions inside the
//! functions that [`pulp`] calls with them; the results are those of the loops on every machine.

/// Eight numbers.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C, align(32))]
pub struct F8(pub [f32; 8]);

impl F8 {
    /// How many numbers there are.
    pub const LANES: usize = 8;
    /// Eight zeros.
    pub const ZERO: Self = Self([0.0; 8]);

    /// The same number eight times.
    #[inline(always)]
    pub fn splat(value: f32) -> Self {
        Self([value; 8])
    }

    /// `self * factor + more`, rounded once.
    #[inline(always)]
    #[must_use]
    pub fn mul_add(self, factor: Self, more: Self) -> Self {
        let mut result = more;
        for lane in 0..8 {
            result.0[lane] = self.0[lane].mul_add(factor.0[lane], more.0[lane]);
        }
        result
    }

    /// The sum, always in the same order.
    #[inline(always)]
    pub fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

/// How many [`F8`] hold `count` numbers.
pub(super) const fn eights(count: usize) -> usize {
    count.div_ceil(F8::LANES)
}
