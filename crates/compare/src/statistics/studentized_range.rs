//! The distribution of the studentized range with infinitely many degrees of freedom.

use super::distribution::{normal_below, normal_density};

/// The range, maximum minus minimum, of k numbers drawn from the standard normal distribution.
///
/// P(range ≤ x) = k ∫ φ(z) (Φ(z) − Φ(z − x))ᵏ⁻¹ dz, where z is the maximum.
///
/// ```
/// use rulebound_compare::statistics::StudentizedRange;
/// let five = StudentizedRange::new(5);
/// assert!((five.quantile(0.05) - 3.857_656).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StudentizedRange {
    count: usize,
}

/// The step of the integration. The trapezoidal rule is exact to the last digits for a function as
/// smooth as this that vanishes at both ends.
const STEP: f64 = 1.0 / 32.0;

/// Beyond this the normal density is negligible.
const FAR: f64 = 10.0;

impl StudentizedRange {
    /// The range of this many numbers.
    pub fn new(count: usize) -> Self {
        Self { count }
    }

    /// The probability of a range above `x`; accurate even where it is tiny.
    pub fn above(self, x: f64) -> f64 {
        if self.count < 2 {
            return if x < 0.0 { 1.0 } else { 0.0 };
        }
        if x <= 0.0 {
            return 1.0;
        }
        let others = (self.count - 1) as f64;
        let steps = ((2.0 * FAR + x) / STEP).ceil() as usize;
        let term = |step: usize| {
            let z = step as f64 * STEP - FAR;
            let below = normal_below(z);
            // Φᵏ⁻¹ − (Φ − Φ')ᵏ⁻¹ without cancellation: the integral of the first is 1/k.
            let lost = -(others * (-normal_below(z - x) / below).ln_1p()).exp_m1();
            normal_density(z) * below.powf(others) * lost
        };
        let sum: f64 = (0..=steps).map(term).sum();
        (self.count as f64 * STEP * sum).min(1.0)
    }

    /// The x that the range exceeds with probability `alpha`, between 0 and 1; by bisection.
    pub fn quantile(self, alpha: f64) -> f64 {
        let mut low = 0.0;
        let mut high = 1.0;
        while self.above(high) > alpha {
            low = high;
            high *= 2.0;
        }
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return middle;
            }
            if self.above(middle) > alpha { low = middle } else { high = middle }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Critical values of the Nemenyi test, q / √2, as Demšar prints them (2006, table 5a), to
    /// three decimals, some truncated.
    #[test]
    fn the_printed_table_for_two_to_ten() {
        let five = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        let ten = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920];
        for (alpha, printed) in [(0.05, five), (0.1, ten)] {
            for (count, printed) in (2..).zip(printed) {
                let found = StudentizedRange::new(count).quantile(alpha) / 2f64.sqrt();
                assert!((found - printed).abs() < 1e-3, "{count} at {alpha}: {found}, {printed}");
            }
        }
    }

    /// The row of infinite degrees of freedom of the usual tables of q at 0.05.
    #[test]
    fn the_printed_table_to_twenty() {
        let printed = [
            2.77, 3.31, 3.63, 3.86, 4.03, 4.17, 4.29, 4.39, 4.47, 4.55, 4.62, 4.68, 4.74, 4.80,
            4.85, 4.89, 4.93, 4.97, 5.01,
        ];
        for (count, printed) in (2..=20).zip(printed) {
            let found = StudentizedRange::new(count).quantile(0.05);
            assert!((found - printed).abs() < 0.0075, "{count}: {found} instead of {printed}");
        }
    }

    /// The range of two numbers is |a − b|, where a − b is normal with variance 2.
    #[test]
    fn two_have_a_closed_form() {
        for x in [0.1, 1.0, 2.77, 8.0, 20.0, 40.0] {
            let (found, expected) =
                (StudentizedRange::new(2).above(x), 2.0 * normal_below(-x / 2f64.sqrt()));
            assert!((found / expected - 1.0).abs() < 1e-10, "{x}: {found}, {expected}");
        }
    }

    #[test]
    fn the_ends() {
        assert_eq!(StudentizedRange::new(7).above(0.0), 1.0);
        assert_eq!(StudentizedRange::new(1).quantile(0.05), 0.0);
        let many = StudentizedRange::new(1000);
        assert!((many.above(many.quantile(0.05)) - 0.05).abs() < 1e-12);
        let tiny = StudentizedRange::new(4).quantile(f64::MIN_POSITIVE);
        assert!(tiny.is_finite() && tiny > 30.0, "{tiny}");
        let large = StudentizedRange::new(4).quantile(0.999_999);
        assert!(large > 0.0 && large < 0.1, "{large}");
    }
}
