//! Ranks: 1 for the smallest number; ties share the mean of their ranks.

/// The error of a computed number: 2⁻⁴⁴ of its size, enough for the mean of some hundred runs.
pub fn noise(value: f64) -> f64 {
    if value.is_finite() { value.abs() * 2f64.powi(-44) } else { 0.0 }
}

/// The ranks of some numbers, and the ties among them.
#[derive(Clone, PartialEq, Debug)]
pub struct Ranking {
    /// The rank of each, from 1.
    pub ranks: Vec<f64>,
    /// Σ (t³ − t) over the groups of t equal numbers; 0 without a tie.
    pub ties: f64,
}

/// Ranks numbers, each with its possible error; NaN cannot be ranked.
///
/// Neighbours in order that are no further apart than the larger of their two errors are tied.
///
/// ```
/// use rulebound_compare::statistics::rank;
/// let ranking = rank(&[0.3, 0.1, 0.3, 0.2], &[0.0; 4]);
/// assert_eq!(ranking.ranks, [3.5, 1.0, 3.5, 2.0]);
/// assert_eq!(ranking.ties, 6.0);
/// ```
pub fn rank(values: &[f64], errors: &[f64]) -> Ranking {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let same = |&a: &usize, &b: &usize| {
        let error = |at: usize| errors.get(at).copied().unwrap_or(0.0);
        // The difference of infinities is undefined.
        values[a] == values[b] || values[b] - values[a] <= error(a).max(error(b))
    };
    let mut ranking = Ranking { ranks: vec![0.0; values.len()], ties: 0.0 };
    let mut before = 0;
    for group in order.chunk_by(same) {
        let size = group.len() as f64;
        let rank = before as f64 + (size + 1.0) / 2.0;
        group.iter().for_each(|&at| ranking.ranks[at] = rank);
        ranking.ties += size * size * size - size;
        before += group.len();
    }
    ranking
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_does_not_break_a_tie() {
        let values = [0.3 - 0.2, 0.2 - 0.1, 0.4 - 0.3, 0.05];
        assert_ne!(values[0], values[1]);
        assert_eq!(rank(&values, &[noise(0.4); 4]).ranks, [3.0, 3.0, 3.0, 1.0]);
        assert_ne!(rank(&values, &[0.0; 4]).ranks, [3.0, 3.0, 3.0, 1.0]);
        assert_eq!(rank(&[0.5, 0.5 + 1e-9], &[noise(0.5); 2]).ranks, [1.0, 2.0]);
    }

    #[test]
    fn infinities_are_tied_and_last() {
        let ranking = rank(&[f64::INFINITY, 1.0, f64::INFINITY], &[0.0; 3]);
        assert_eq!((ranking.ranks, ranking.ties), (vec![2.5, 1.0, 2.5], 6.0));
        assert_eq!(rank(&[], &[]), Ranking { ranks: vec![], ties: 0.0 });
        assert_eq!(rank(&[-0.0, 0.0], &[0.0; 2]).ranks, [1.5, 1.5]);
    }
}
