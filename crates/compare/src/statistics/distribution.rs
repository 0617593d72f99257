//! The tails of the distributions that the tests need.

use std::f64::consts::{SQRT_2, TAU};

use libm::erfc;
use statrs::function::beta::beta_reg;
use statrs::function::gamma::gamma_ur;

/// The density of the standard normal distribution.
pub(super) fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / TAU.sqrt()
}

/// The probability below `x` in the standard normal distribution.
pub(super) fn normal_below(x: f64) -> f64 {
    0.5 * erfc(-x / SQRT_2)
}

/// The probability above `x` in the chi-square distribution.
pub(super) fn chi_square_above(x: f64, freedom: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { gamma_ur(0.5 * freedom, 0.5 * x) }
}

/// The probability above `x` in Snedecor's F distribution.
pub(super) fn f_above(x: f64, numerator: f64, denominator: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let share = denominator / (denominator + numerator * x);
    beta_reg(0.5 * denominator, 0.5 * numerator, share.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-11, "{found} instead of {expected}");
    }

    /// Closed forms: an even number of degrees of freedom ends the series.
    #[test]
    fn tails_with_a_closed_form() {
        for x in [0.01_f64, 0.5, 1.0, 3.0, 10.0, 73.4, 300.0] {
            near(chi_square_above(x, 2.0), (-x / 2.0).exp());
            near(chi_square_above(x, 4.0), (-x / 2.0).exp() * (1.0 + x / 2.0));
            near(chi_square_above(x, 1.0), 2.0 * normal_below(-x.sqrt()));
            near(f_above(x, 2.0, 6.0), (1.0 + x / 3.0).powi(-3));
            near(f_above(x, 4.0, 2.0), 1.0 - (2.0 * x / (1.0 + 2.0 * x)).powi(2));
        }
        assert_eq!((chi_square_above(0.0, 3.0), f_above(-1.0, 3.0, 4.0)), (1.0, 1.0));
        assert_eq!(f_above(f64::INFINITY, 3.0, 4.0), 0.0);
    }

    #[test]
    fn the_normal_distribution() {
        near(normal_below(0.0), 0.5);
        near(normal_below(1.959_963_984_540_054), 0.975);
        // Far out in the tail, where one minus the other side would be zero.
        near(normal_below(-10.0), 7.619_853_024_160_527e-24);
        near(normal_density(0.0), 0.398_942_280_401_432_7);
    }
}
