//! Holm's correction: several tests at once, and still one chance in twenty.

/// The corrected p of each of several tests, in their order.
///
/// The i-th least of m, from 0, is multiplied by m − i, is at least the ones before it, and at most
/// 1. Rejecting where the result is at most α is wrong about any of them with chance at most α.
///
/// ```
/// use rulebound::compare::statistics::holm;
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
        // Times 4, 3, 2 and 1, and never below the one before.
        let expected = [0.0625, 0.09375, 0.09375, 0.25];
        assert_eq!(holm(&[0.015625, 0.03125, 0.046875, 0.25]), expected);
    }
}
