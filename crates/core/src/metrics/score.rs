//! Numbers that examples can be ranked by.
//!
//! A score is compared through its key, an unsigned integer of the same width: sorting those is
//! several times faster than sorting floating-point numbers, and needs no decision about NaN.

use std::fmt::Debug;

/// A number that examples can be ranked by: `f32` or `f64`.
pub trait Score: Copy + Debug + Send + Sync + 'static {
    /// An integer that is ordered as the scores are.
    type Key: Ord + Copy + Default + Debug + Send + Sync;

    /// The key of a score: of two scores other than NaN, the higher one has the higher key, and
    /// equal ones (0 and −0 too) have the same.
    fn key(self) -> Self::Key;

    /// The key of the score as `f64`: the same for both types.
    fn wide_key(self) -> u64;

    /// The key of the score as `f32`, to which some scores may be rounded together.
    fn narrow_key(self) -> u32;

    /// Whether this is NaN.
    fn is_nan(self) -> bool;
}

macro_rules! float_score {
    ($float:ty, $key:ty) => {
        impl Score for $float {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                // Adding 0 turns −0 into 0. Positive numbers are ordered as their bits are, negative
                // ones the other way round and below.
                let bits = (self + 0.0).to_bits();
                let top = 1 << (<$key>::BITS - 1);
                if bits & top == 0 { bits | top } else { !bits }
            }

            #[inline(always)]
            fn wide_key(self) -> u64 {
                f64::from(self).key()
            }

            #[inline(always)]
            fn narrow_key(self) -> u32 {
                (self as f32).key()
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
        }
    };
}

float_score!(f32, u32);
float_score!(f64, u64);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f32> {
        let special = prop::sample::select(vec![
            0.0,
            -0.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MIN_POSITIVE,
            -f32::MIN_POSITIVE,
            f32::from_bits(1),
            -f32::from_bits(1),
            f32::MAX,
            1.0,
            -1.0,
        ]);
        prop_oneof![special, prop::num::f32::ANY.prop_filter("a number", |x| !x.is_nan())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn keys_are_ordered_as_scores_are(a in number(), b in number()) {
            prop_assert_eq!(Some(a.key().cmp(&b.key())), a.partial_cmp(&b));
            let (a, b) = (f64::from(a) * 1.1, f64::from(b) * 1.1);
            prop_assert_eq!(Some(a.key().cmp(&b.key())), a.partial_cmp(&b));
        }
    }
}
