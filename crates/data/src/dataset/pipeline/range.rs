//! The numbers that a column had in fitting, and which other numbers are far from them.

use serde::{Deserialize, Serialize};

/// The smallest and the largest number of a column in the fitted rows.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
pub struct FittedRange {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl From<[f64; 2]> for FittedRange {
    fn from([low, high]: [f64; 2]) -> Self {
        Self { low, high }
    }
}

impl From<FittedRange> for [f64; 2] {
    fn from(range: FittedRange) -> Self {
        [range.low, range.high]
    }
}

impl FittedRange {
    /// The numbers that are not far outside: those at most as far from the range as the range is wide. In
    /// a column that was constant, no number is: a model learned nothing from it.
    pub(super) fn limits(self) -> [f32; 2] {
        let width = self.high - self.low;
        if width > 0.0 { [(self.low - width) as f32, (self.high + width) as f32] } else { ANYTHING }
    }

    pub(super) fn is_sound(self) -> bool {
        self.low.is_finite() && self.high.is_finite() && self.low <= self.high
    }
}

/// The limits of a column without a range.
pub(super) const ANYTHING: [f32; 2] = [f32::NEG_INFINITY, f32::INFINITY];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_one_width_away() {
        assert_eq!(FittedRange { low: 36.0, high: 40.0 }.limits(), [32.0, 44.0]);
        assert_eq!(FittedRange { low: 7.0, high: 7.0 }.limits(), ANYTHING);
    }
}
