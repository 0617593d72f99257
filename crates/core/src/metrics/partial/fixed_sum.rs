//! A sum that does not depend on the order of its terms.

use std::ops::AddAssign;

/// A sum of numbers in [−1, 1], in units of 2⁻⁸⁰: each term is cut to that once, and then only integers are
/// added. There is room for 2⁴⁷ terms. A term of at least 2⁻²⁷ loses nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct FixedSum(pub(super) i128);

const UNITS: f64 = (1u128 << 80) as f64;

impl FixedSum {
    /// One term.
    pub fn new(value: f64) -> Self {
        debug_assert!(value.abs() <= 1.0);
        Self((value * UNITS) as i128)
    }

    /// What has to be added to get from one number to another.
    pub fn step(from: f64, to: f64) -> Self {
        Self(Self::new(to).0 - Self::new(from).0)
    }

    /// The sum, rounded once.
    pub fn value(self) -> f64 {
        self.0 as f64 / UNITS
    }
}

impl AddAssign for FixedSum {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_does_not_matter() {
        let terms: Vec<f64> = (1..500).map(|n| 1.0 / f64::from(n)).collect();
        let sum = |terms: &mut dyn Iterator<Item = &f64>| {
            let mut sum = FixedSum::default();
            terms.for_each(|&term| sum += FixedSum::new(term));
            sum
        };
        let forwards = sum(&mut terms.iter());
        assert_eq!(forwards, sum(&mut terms.iter().rev()));
        assert!((forwards.value() - terms.iter().sum::<f64>()).abs() < 1e-12);
        assert_eq!(FixedSum::step(0.25, 0.75).value(), 0.5);
        assert_eq!(FixedSum::step(0.75, 0.25).value(), -0.5);
    }
}
