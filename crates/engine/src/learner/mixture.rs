//! Means of probabilities, as logits.

/// The logit of a mean of two probabilities, given by their logits; `share` is the weight of the
/// first.
pub(super) fn mixed(first: f64, second: f64, share: f64) -> f64 {
    let logistic = |logit: f64| 1.0 / (1.0 + (-logit).exp());
    let mean = |sign: f64| share * logistic(sign * first) + (1.0 - share) * logistic(sign * second);
    // Both sides of the odds, so that a probability near 1 keeps its digits.
    (mean(1.0) / mean(-1.0)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_logit_of_the_mean() {
        for (first, second, share) in [(0.3, -2.0, 0.5), (4.0, 1.0, 0.2), (-3.0, -3.0, 0.9)] {
            let of = |logit: f64| 1.0 / (1.0 + (-logit).exp());
            let mean: f64 = share * of(first) + (1.0 - share) * of(second);
            let expected = (mean / (1.0 - mean)).ln();
            assert!((mixed(first, second, share) - expected).abs() < 1e-12);
        }
        assert!((mixed(50.0, 60.0, 1.0) - 50.0).abs() < 1e-9, "digits near 1 are kept");
        assert_eq!(mixed(f64::NEG_INFINITY, f64::NEG_INFINITY, 0.5), f64::NEG_INFINITY);
        assert!(mixed(f64::NAN, 0.0, 0.5).is_nan());
    }
}
