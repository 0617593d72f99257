//! Welch's t-test: do the means of two samples differ, whatever their variances?

use super::distribution::f_above;

/// The two-sided test of two samples.
///
/// t = (ā − b̄) / √(sₐ²/nₐ + s_b²/n_b), with the degrees of freedom of Welch and Satterthwaite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Welch {
    /// The mean of the first minus that of the second.
    pub difference: f64,
    /// t; infinite if both samples are constant and the means differ.
    pub t: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
    /// The p-value: the probability of a difference at least as large if the means were equal.
    pub p: f64,
}

impl Welch {
    /// The test; `None` if a sample has fewer than two values.
    ///
    /// ```
    /// use rulebound_compare::statistics::Welch;
    /// let found = Welch::new(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
    /// assert_eq!((found.difference, found.freedom), (-3.0, 4.0));
    /// assert!((found.p - 0.0213).abs() < 1e-4);
    /// ```
    pub fn new(first: &[f64], second: &[f64]) -> Option<Self> {
        let ((a, spread_a), (b, spread_b)) = (moments(first)?, moments(second)?);
        let difference = a - b;
        let variance = spread_a + spread_b;
        let share = |spread: f64, values: &[f64]| spread * spread / (values.len() - 1) as f64;
        let freedom = match variance > 0.0 {
            true => variance * variance / (share(spread_a, first) + share(spread_b, second)),
            false => (first.len() + second.len() - 2) as f64,
        };
        let t = match (difference == 0.0, variance > 0.0) {
            (true, _) => 0.0,
            (false, true) => difference / variance.sqrt(),
            (false, false) => difference.signum() * f64::INFINITY,
        };
        Some(Self { difference, t, freedom, p: t_beyond(t, freedom) })
    }
}

/// The probability beyond `t` on either side in Student's distribution.
pub fn t_beyond(t: f64, freedom: f64) -> f64 {
    f_above(t * t, 1.0, freedom)
}

/// The mean, and the variance of the mean.
fn moments(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, squares / (count - 1.0) / count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: means 2 and 4, variances of the means 1/3 and 4/3, t = −2/√(5/3), ν = 50/17.
    #[test]
    fn spreads_may_differ() {
        let found = Welch::new(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]).unwrap();
        assert!((found.t + 2.0 / (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((found.freedom - 50.0 / 17.0).abs() < 1e-12);
        assert!((found.p - 0.2209).abs() < 1e-4, "{}", found.p);
    }

    /// With two degrees of freedom the tail is 1 − t/√(2 + t²), with one it is Cauchy's.
    #[test]
    fn tails_with_a_closed_form() {
        for t in [0.1_f64, 1.0, 4.3, 50.0] {
            assert!((t_beyond(t, 2.0) - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-12);
            let cauchy = 1.0 - t.atan() / std::f64::consts::FRAC_PI_2;
            assert!((t_beyond(-t, 1.0) - cauchy).abs() < 1e-12);
        }
    }

    #[test]
    fn samples_without_spread() {
        assert_eq!(Welch::new(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(Welch::new(&[1.0, 1.0], &[1.0, 1.0]).unwrap().p, 1.0);
        assert_eq!(Welch::new(&[1.0, 1.0], &[2.0, 2.0]).unwrap().p, 0.0);
    }
}
