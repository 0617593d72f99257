//! Thresholds: the probability above which a class is predicted.
//!
//! One per class, strictly between 0 and 1: at 0 or 1 there is no strict
//! negation with the threshold as its fixed point. They convert logits and
//! probabilities to margins and back. On the way back, `p > θ ⇔ margin > 0`
//! holds for every float: where rounding would break it, the result is moved by
//! one unit in the last place.

use crate::label::LabelId;
use crate::margin::FloatMargin;

/// A threshold that is not strictly between 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[error("a threshold must be strictly between 0 and 1, not {0}")]
pub struct BadThreshold(pub f64);

/// The threshold of every class.
///
/// ```
/// use rulebound_core::{LabelId, Thresholds};
/// let thresholds = Thresholds::uniform(2, 0.3)?;
/// let margin: f64 = thresholds.margin_of_probability(LabelId::new(0), 0.31);
/// assert!(margin > 0.0);
/// # Ok::<(), rulebound_core::BadThreshold>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Thresholds {
    values: Vec<f64>,
    logits: Vec<f64>,
}

impl Thresholds {
    /// One threshold for each class.
    ///
    /// # Errors
    /// The first that is not strictly between 0 and 1.
    pub fn new(values: Vec<f64>) -> Result<Self, BadThreshold> {
        let outside = |value: &&f64| !(**value > 0.0 && **value < 1.0);
        if let Some(&value) = values.iter().find(outside) {
            return Err(BadThreshold(value));
        }
        let logits = values.iter().map(|&value| logit(value)).collect();
        Ok(Self { values, logits })
    }

    /// The same threshold for `classes` classes.
    ///
    /// # Errors
    /// If it is not strictly between 0 and 1.
    pub fn uniform(classes: usize, value: f64) -> Result<Self, BadThreshold> {
        // Checked even where there are no classes.
        Self::new(vec![value])?;
        Self::new(vec![value; classes])
    }

    /// The threshold 0.5 for `classes` classes.
    pub fn half(classes: usize) -> Self {
        Self { values: vec![0.5; classes], logits: vec![logit(0.5); classes] }
    }

    /// The threshold of a class, as a probability.
    pub fn value(&self, label: LabelId) -> f64 {
        self.values[label.index()]
    }

    /// The threshold of a class, as a logit.
    pub fn logit(&self, label: LabelId) -> f64 {
        self.logits[label.index()]
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no classes.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The margin of a logit.
    pub fn margin_of_logit<F: FloatMargin>(&self, label: LabelId, logit: F) -> F {
        logit.plus(F::from_f64(-self.logit(label)))
    }

    /// The logit of a margin.
    pub fn logit_of_margin<F: FloatMargin>(&self, label: LabelId, margin: F) -> F {
        margin.plus(F::from_f64(self.logit(label)))
    }

    /// The margin of a probability in [0, 1]; positive iff it is above the
    /// threshold of the class.
    pub fn margin_of_probability<F: FloatMargin>(&self, label: LabelId, probability: F) -> F {
        let probability = probability.to_f64();
        let margin = logit(probability) - self.logit(label);
        let margin = F::from_f64(margin);
        if probability > self.value(label) {
            if margin.is_predicted() { margin } else { -F::default().canonical() }
        } else if margin.is_predicted() {
            F::default().canonical()
        } else {
            margin.canonical()
        }
    }

    /// The probability of a canonical margin; above the threshold of the class
    /// iff the margin is positive.
    pub fn probability_of_margin<F: FloatMargin>(&self, label: LabelId, margin: F) -> F {
        let (_, probability) = F::from_f64(margin.to_f64() + self.logit(label)).softplus_sigmoid();
        let (below, above) = F::around(self.value(label));
        match margin.is_predicted() {
            true if probability < above => above,
            false if probability > below => below,
            _ => probability,
        }
    }
}

/// `ln(p / (1 − p))`; −∞ at 0 and ∞ at 1.
pub(crate) fn logit(p: f64) -> f64 {
    // Both forms are exact where the other cancels: 1 − p is exact from 1/2 on,
    // and ln(1 − p) needs no subtraction below.
    if p < 0.5 { p.ln() - (-p).ln_1p() } else { p.ln() - (1.0 - p).ln() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_open_interval_is_allowed() {
        for bad in [0.0, 1.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
            assert!(Thresholds::uniform(1, bad).is_err() && Thresholds::uniform(0, bad).is_err());
        }
        assert_eq!(Thresholds::half(3), Thresholds::uniform(3, 0.5).unwrap());
    }

    fn probability() -> impl Strategy<Value = f64> {
        prop_oneof![
            0.0..=1.0,
            Just(0.0),
            Just(1.0),
            Just(0.5),
            Just(5e-324),
            Just(1.0f64.next_down())
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn the_side_of_the_threshold_survives_the_way_there_and_back(
            threshold in probability().prop_filter("open", |p| *p > 0.0 && *p < 1.0),
            p in probability(),
            step in -2i64..=2,
        ) {
            // Also a few units in the last place around the threshold.
            let near = f64::from_bits((threshold.to_bits() as i64 + step).max(0) as u64).clamp(0.0, 1.0);
            let thresholds = Thresholds::uniform(1, threshold).unwrap();
            let label = LabelId::new(0);
            for p in [p, near] {
                let margin: f64 = thresholds.margin_of_probability(label, p);
                prop_assert_eq!(margin > 0.0, p > threshold);
                prop_assert_eq!(thresholds.probability_of_margin(label, margin) > threshold, p > threshold);
                prop_assert_eq!(thresholds.probability_of_margin(label, -margin) > threshold, p <= threshold);
                let margin = margin as f32;
                if margin != 0.0 {
                    let back = thresholds.probability_of_margin(label, margin);
                    prop_assert_eq!(f64::from(back) > threshold, margin > 0.0);
                    prop_assert!((0.0..=1.0).contains(&back));
                }
            }
        }
    }
}
