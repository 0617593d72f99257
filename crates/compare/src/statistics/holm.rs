//! Holm's correction: several tests at once, with one bound on the probability of any error.

/// The corrected p-values of several tests, in their order.
///
/// The i-th smallest of m, from 0, is multiplied by m − i, raised to at least the ones before it,
/// and capped at 1. Rejecting where the result is at most α makes any false rejection with
/// probability at most α.
///
/// ```
/// use rulebound_compare::statistics::holm;
/// assert_eq!(holm(&[0.25, 0.125, 0.375]), [0.5, 0.375, 0.5]);
/// ```
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut corrected = vec![0.0; p.len()];
    let mut least = 0.0_f64;
    for (place, at) in order.into_iter().enumerate() {
        least = least.max(p[at] * (p.len() - place) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrected_by_hand() {
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.5]), [0.5]);
        assert_eq!(holm(&[0.75, 0.5]), [1.0, 1.0]);
        // Multiplied by 4, 3, 2 and 1, and never below the one before.
        let expected = [0.0625, 0.09375, 0.09375, 0.25];
        assert_eq!(holm(&[0.015625, 0.03125, 0.046875, 0.25]), expected);
    }
}
