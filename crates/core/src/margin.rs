//! Margins: how far a class is from its threshold, and on which side.
//!
//! With the threshold θ a class of probability p has the margin
//! `logit(p) − logit(θ)` and is predicted iff that is > 0. Negation is the sign
//! change, exact in floating point. The layer only ever compares and negates,
//! so whatever can do both is a [`Margin`].
//!
//! The value 0 is not a margin: a class exactly at its threshold is not
//! predicted, so its negation must hold, and −0 would not. [`Margin::canonical`]
//! moves it to the largest negative normal number.

use std::fmt::Debug;
use std::ops::Neg;

/// A number that the constraint layer can select from.
pub trait Margin:
    Copy + PartialOrd + PartialEq + Neg<Output = Self> + Default + Debug + Send + Sync + 'static
{
    /// The margin of what always holds.
    const TRUE: Self;
    /// The margin of what never holds.
    const FALSE: Self;

    /// The same margin, with 0 (of either sign) moved below the threshold.
    #[must_use]
    fn canonical(self) -> Self;

    /// Whether this is NaN.
    fn is_nan(self) -> bool;

    /// Whether a class with this margin is predicted. Meant for canonical
    /// margins; 0 counts as not predicted.
    fn is_predicted(self) -> bool;

    /// How far from the threshold this is, on whichever side: a number that is larger exactly if the
    /// margin is.
    fn sureness(self) -> u64;
}

/// A margin that is a floating-point number, which the loss and the thresholds can compute with.
///
/// Implemented for `f32` and `f64` only: the accuracy that it promises is tested for these two.
pub trait FloatMargin: Margin + sealed::Sealed {
    /// The largest finite number.
    const LARGEST: Self;

    /// Converts from double precision, rounded.
    fn from_f64(value: f64) -> Self;

    /// Converts to double precision, exactly.
    fn to_f64(self) -> f64;

    /// `(ln(1 + eˣ), 1 / (1 + e⁻ˣ))`: softplus and sigmoid, which share their
    /// exponential. Never overflows; ±∞ are allowed.
    fn softplus_sigmoid(self) -> (Self, Self);

    /// `self + other`.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// `self · other`.
    #[must_use]
    fn times(self, other: Self) -> Self;

    /// The largest probability that is not above the threshold and the
    /// smallest one that is, whether the comparison is made in this type or in
    /// double precision.
    fn around(threshold: f64) -> (Self, Self);
}

mod sealed {
    /// Keeps [`FloatMargin`](super::FloatMargin) from being implemented elsewhere.
    pub trait Sealed {}
}

macro_rules! float_margin {
    ($float:ty) => {
        impl sealed::Sealed for $float {}

        impl Margin for $float {
            const TRUE: Self = Self::INFINITY;
            const FALSE: Self = Self::NEG_INFINITY;

            #[inline(always)]
            fn canonical(self) -> Self {
                if self == 0.0 { -Self::MIN_POSITIVE } else { self }
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }

            #[inline(always)]
            fn is_predicted(self) -> bool {
                self > 0.0
            }

            // The bits of floats of one sign are ordered as the floats are.
            #[inline(always)]
            fn sureness(self) -> u64 {
                u64::from(self.abs().to_bits())
            }
        }
    };
}

float_margin!(f32);
float_margin!(f64);

impl FloatMargin for f32 {
    const LARGEST: Self = Self::MAX;

    fn from_f64(value: f64) -> Self {
        value as Self
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    /// Plain arithmetic without a branch or a call, so that a loop over it is
    /// turned into vector code; within 3 units in the last place.
    #[inline(always)]
    fn softplus_sigmoid(self) -> (Self, Self) {
        let e = exp_of_negative(self.abs());
        let inverse = 1.0 / (1.0 + e);
        // ln(1 + e) = 2 artanh(e / (2 + e)), and e / (2 + e) ≤ 1/3.
        let s = e / (2.0 + e);
        let q = s * s;
        let series = 1.0 / 9.0 + q * (1.0 / 11.0 + q * (1.0 / 13.0));
        let series = 1.0 + q * (1.0 / 3.0 + q * (0.2 + q * (1.0 / 7.0 + q * series)));
        let log = 2.0 * s * series;
        let above = if self > 0.0 { self } else { 0.0 };
        let numerator = if self > 0.0 { 1.0 } else { e };
        (above + log, numerator * inverse)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }

    fn around(threshold: f64) -> (Self, Self) {
        let rounded = threshold as Self;
        let below = if f64::from(rounded) > threshold { rounded.next_down() } else { rounded };
        (below, rounded.next_up().min(1.0))
    }
}

/// `e⁻ˣ` for x ≥ 0.
#[inline(always)]
fn exp_of_negative(x: f32) -> f32 {
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    // Adding and subtracting 1.5 · 2²³ rounds to an integer, which is then in the
    // low bits. Past 87 the result is below the normal numbers: call it 0.
    const ROUND: f32 = 12_582_912.0;
    let normal = u32::from(x <= 87.0).wrapping_neg();
    let x = if x < 87.0 { x } else { 87.0 };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (n * LN_2_HIGH - x) + n * LN_2_LOW;
    let poly = 1.0
        + r * (1.0
            + r * (0.5
                + r * (0.166_666_66 + r * (0.041_666_5 + r * (0.008_333_3 + r * 0.001_39)))));
    let scale = f32::from_bits((127u32.wrapping_sub(shifted.to_bits() & 0xff)) << 23);
    f32::from_bits((poly * scale).to_bits() & normal)
}

impl FloatMargin for f64 {
    const LARGEST: Self = Self::MAX;

    fn from_f64(value: f64) -> Self {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn softplus_sigmoid(self) -> (Self, Self) {
        let e = (-self.abs()).exp();
        let log = e.ln_1p();
        if self > 0.0 { (self + log, 1.0 / (1.0 + e)) } else { (log, e / (1.0 + e)) }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }

    fn around(threshold: f64) -> (Self, Self) {
        (threshold, threshold.next_up())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_functions_are_the_exact_ones_to_the_last_places() {
        let mut x = -120.0f32;
        while x < 120.0 {
            let (softplus, sigmoid) = x.softplus_sigmoid();
            let (exact_softplus, exact_sigmoid) = f64::from(x).softplus_sigmoid();
            for (fast, exact) in [(softplus, exact_softplus), (sigmoid, exact_sigmoid)] {
                let allowed = 4.0 * exact * f64::from(f32::EPSILON) + 2e-38;
                assert!(
                    (f64::from(fast) - exact).abs() <= allowed,
                    "{x}: {fast} instead of {exact}"
                );
            }
            x += 0.000_7;
        }
    }

    #[test]
    fn infinities_are_legal() {
        assert_eq!(f32::INFINITY.softplus_sigmoid(), (f32::INFINITY, 1.0));
        assert_eq!(f32::NEG_INFINITY.softplus_sigmoid(), (0.0, 0.0));
        assert_eq!(f64::INFINITY.softplus_sigmoid(), (f64::INFINITY, 1.0));
        assert_eq!(f64::NEG_INFINITY.softplus_sigmoid(), (0.0, 0.0));
    }

    #[test]
    fn zero_is_moved_below_the_threshold_and_its_negation_holds() {
        for zero in [0.0f32, -0.0] {
            assert!(!zero.canonical().is_predicted() && (-zero.canonical()).is_predicted());
            assert!(zero.canonical().is_normal());
        }
        assert_eq!(f64::MIN_POSITIVE.canonical(), f64::MIN_POSITIVE);
    }

    #[test]
    fn nothing_lies_between_the_two_sides_of_a_threshold() {
        for threshold in [0.5, 0.3, 1e-50, 5e-324, 0.999_999_999_999, 0.7, f64::EPSILON] {
            let (below, above) = f32::around(threshold);
            assert!(f64::from(below) <= threshold && below <= threshold as f32);
            assert!(f64::from(above) > threshold && above <= 1.0);
            let (below, above) = f64::around(threshold);
            assert!(below == threshold && above > threshold && above <= 1.0);
        }
    }
}
