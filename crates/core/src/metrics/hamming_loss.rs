//! Hamming loss: how many decisions are wrong.

use super::confusion::Confusion;

/// The share of pairs of example and class with a wrong decision. Lower is better, at least 0.
/// As `hamming_loss`.
pub fn hamming_loss(confusion: &Confusion) -> Option<f64> {
    let total = confusion.total()?;
    Some((total.false_positives + total.false_negatives) as f64 / confusion.pairs() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Columns;

    #[test]
    fn by_hand() {
        let columns = Columns::all(2);
        let of = |decisions: &[bool], truth: &[bool]| {
            hamming_loss(&Confusion::new(decisions, truth, &columns).unwrap())
        };
        assert_eq!(of(&[true, true, false, false], &[true, false, true, false]), Some(0.5));
        assert_eq!(of(&[false; 2], &[false; 2]), Some(0.0));
        assert_eq!(of(&[], &[]), None);
    }
}
