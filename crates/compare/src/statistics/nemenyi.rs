//! The Nemenyi test: which methods differ, all pairs at once.

use serde::Serialize;

use super::studentized_range::StudentizedRange;

/// The critical difference of average ranks of k methods over n data sets: two methods differ if
/// their average ranks are at least CD = q · √(k·(k+1) / (6·n)) apart.
///
/// ```
/// use rulebound_compare::statistics::Nemenyi;
/// let nemenyi = Nemenyi::new(3, 24, 0.05);
/// assert!((nemenyi.critical_difference - 0.6766).abs() < 1e-4);
/// // The first two do not differ, and neither do the last two.
/// assert_eq!(nemenyi.groups(&[1.6, 1.9, 2.5]), [0..2, 1..3]);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Nemenyi {
    /// The significance level: the maximum probability of finding a difference where there is none.
    pub alpha: f64,
    /// The quantile of the studentized range, divided by √2.
    pub q: f64,
    /// The critical difference of average ranks.
    pub critical_difference: f64,
}

impl Nemenyi {
    /// The test for this many methods and data sets; `alpha` is between 0 and 1.
    pub fn new(methods: usize, sets: usize, alpha: f64) -> Self {
        let q = StudentizedRange::new(methods).quantile(alpha) / 2f64.sqrt();
        let (k, n) = (methods as f64, sets as f64);
        Self { alpha, q, critical_difference: q * (k * (k + 1.0) / (6.0 * n)).sqrt() }
    }

    /// The maximal groups of at least two methods of which no two differ; `ranks` are average ranks
    /// in ascending order.
    pub fn groups(&self, ranks: &[f64]) -> Vec<std::ops::Range<usize>> {
        let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
        for (start, first) in ranks.iter().enumerate() {
            let alike = |rank: &&f64| **rank - first < self.critical_difference;
            let end = start + ranks[start..].iter().take_while(alike).count();
            let inside = groups.last().is_some_and(|last| end <= last.end);
            if end - start > 1 && !inside {
                groups.push(start..end);
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_largest_runs() {
        let nemenyi = Nemenyi { alpha: 0.05, q: 0.0, critical_difference: 1.0 };
        let groups = |ranks: &[f64]| nemenyi.groups(ranks);
        assert_eq!(groups(&[1.0, 2.5, 4.0]), []);
        assert_eq!(groups(&[1.0, 1.0, 1.0]), std::slice::from_ref(&(0..3)));
        assert_eq!(groups(&[1.0, 1.5, 1.9, 2.6, 5.0]), [0..3, 2..4]);
        assert_eq!(groups(&[1.0, 2.0]), [], "at the critical difference they differ");
        assert_eq!(groups(&[]), []);
    }

    /// Five methods on twenty data sets: 2.728 · √(30 / 120).
    #[test]
    fn the_critical_difference_of_the_paper() {
        let found = Nemenyi::new(5, 20, 0.05).critical_difference;
        assert!((found - 1.364).abs() < 1e-3, "{found}");
        assert!(Nemenyi::new(5, 20, 0.1).critical_difference < found);
    }
}
