//! The Wilcoxon signed-rank test: do two methods differ, given the sizes of their differences?

use serde::Serialize;

use super::distribution::normal_below;
use super::ranks::{noise, rank};

/// Maximum number of differences for the exact distribution, if none is zero and none are tied.
const FEW: usize = 50;

/// The same if some are: 2¹³ assignments of signs are cheaper to enumerate than to sample.
const VERY_FEW: usize = 13;

/// How p was computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Computed {
    /// By counting all assignments of signs.
    Exact,
    /// The same with zero or tied differences, which have their own distribution.
    ExactWithTies,
    /// By the normal approximation, corrected for ties.
    Normal,
}

/// The two-sided test of two methods on the same data sets; zero differences are dropped.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Wilcoxon {
    /// Data sets where the first is better.
    pub wins: usize,
    /// Data sets where the second is better.
    pub losses: usize,
    /// Data sets where they are equal.
    pub equal: usize,
    /// The sum of ranks of the differences in favour of the first.
    pub plus: f64,
    /// The sum of ranks of the others.
    pub minus: f64,
    /// The p-value: the probability of sums at least as unequal if the methods were alike.
    pub p: f64,
    /// How p was computed.
    pub computed: Computed,
}

impl Wilcoxon {
    /// The test on pairs of costs, of the first and of the second method.
    ///
    /// Differences that differ only by rounding are equal. Without any difference p is 1.
    ///
    /// ```
    /// use rulebound_compare::statistics::Wilcoxon;
    /// let found = Wilcoxon::new(&[[1.0, 2.0], [1.0, 3.0], [1.0, 4.0]]);
    /// assert_eq!((found.wins, found.minus, found.p), (3, 0.0, 0.25));
    /// ```
    pub fn new(costs: &[[f64; 2]]) -> Self {
        let error = |[a, b]: [f64; 2]| noise(a).max(noise(b));
        let differences = costs.iter().map(|&pair| (pair[1] - pair[0], error(pair)));
        let (differences, errors): (Vec<f64>, Vec<f64>) =
            differences.filter(|(difference, error)| difference.abs() > *error).unzip();
        let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
        let ranking = rank(&sizes, &errors);
        let sum = |favourable: bool| -> f64 {
            let signed = differences.iter().zip(&ranking.ranks);
            let own = signed.filter(|(d, _)| (**d > 0.0) == favourable);
            // An empty sum would be −0.
            own.fold(0.0, |sum, (_, rank)| sum + rank)
        };
        let (plus, minus) = (sum(true), sum(false));
        let count = differences.len();
        let equal = costs.len() - count;
        let computed = match (costs.len(), ranking.ties > 0.0 || equal > 0) {
            (..=FEW, false) => Computed::Exact,
            (..=VERY_FEW, true) => Computed::ExactWithTies,
            _ => Computed::Normal,
        };
        let least = plus.min(minus);
        let p = match computed {
            _ if count == 0 => 1.0,
            Computed::Normal => normal(least, count as f64, ranking.ties),
            Computed::Exact | Computed::ExactWithTies => exact(least, &ranking.ranks),
        };
        let wins = differences.iter().filter(|difference| **difference > 0.0).count();
        Self { wins, losses: count - wins, equal, plus, minus, p, computed }
    }
}

/// Twice the fraction of all assignments of signs whose sum of positive ranks is at most `least`.
fn exact(least: f64, ranks: &[f64]) -> f64 {
    // Twice a rank is an integer.
    let doubled = |rank: f64| (2.0 * rank).round() as usize;
    let most = doubled(least);
    let mut ways = vec![0.0_f64; most + 1];
    ways[0] = 1.0;
    for rank in ranks.iter().map(|&rank| doubled(rank)) {
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    // Integers of at most 2⁵⁰ are exact.
    let share = ways.iter().sum::<f64>() / 2f64.powi(ranks.len() as i32);
    (2.0 * share).min(1.0)
}

fn normal(least: f64, count: f64, ties: f64) -> f64 {
    let mean = count * (count + 1.0) / 4.0;
    let variance = (count * (count + 1.0) * (2.0 * count + 1.0) - ties / 2.0) / 24.0;
    (2.0 * normal_below((least - mean) / variance.sqrt())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first costs 0, so that the cost of the second is the difference.
    fn test(differences: &[f64]) -> Wilcoxon {
        let costs: Vec<[f64; 2]> = differences.iter().map(|&d| [0.0, d]).collect();
        Wilcoxon::new(&costs)
    }

    /// By hand: of 2⁵ assignments, ∅, {1}, {2}, {3}, {1, 2} have a sum of at most 3.
    #[test]
    fn few_without_ties_are_counted() {
        let found = test(&[1.0, 2.0, -3.0, 4.0, 5.0]);
        assert_eq!((found.plus, found.minus), (12.0, 3.0));
        assert_eq!((found.wins, found.losses, found.equal), (4, 1, 0));
        assert_eq!((found.p, found.computed), (10.0 / 32.0, Computed::Exact));
    }

    /// By hand: ranks 1.5, 1.5, 3, 4; of 16 assignments ∅ and two of 1.5 are at most 1.5.
    #[test]
    fn very_few_with_ties_are_counted_with_them() {
        let found = test(&[1.0, -1.0, 2.0, 3.0, 0.0]);
        assert_eq!((found.plus, found.minus, found.equal), (8.5, 1.5, 1));
        assert_eq!((found.p, found.computed), (6.0 / 16.0, Computed::ExactWithTies));
    }

    /// By hand: 14 differences of 1, one against: ranks 7.5; mean 52.5, variance
    /// (14·15·29 − (14³ − 14)/2)/24 = 196.875, z = −45/√196.875 = −3.2071.
    #[test]
    fn more_with_ties_are_normal() {
        let mut differences = [1.0; 14];
        differences[3] = -1.0;
        let found = test(&differences);
        assert_eq!((found.plus, found.minus, found.computed), (97.5, 7.5, Computed::Normal));
        assert!((found.p - 0.001_340_6).abs() < 1e-6, "{}", found.p);
        let many: Vec<f64> = (1..=51).map(f64::from).collect();
        assert_eq!(test(&many).computed, Computed::Normal);
        assert_eq!(test(&many[..50]).computed, Computed::Exact);
        assert_eq!(test(&many[..50]).p, 2f64.powi(-49));
    }

    #[test]
    fn decimal_figures_are_tied_as_they_are_printed() {
        let costs = [[0.298, 0.306], [0.440, 0.448], [0.301, 0.302], [0.291, 0.292]];
        let found = Wilcoxon::new(&costs);
        assert_eq!((found.plus, found.computed), (10.0, Computed::ExactWithTies));
        assert_eq!(found.p, 2.0 / 16.0);
        let equal = Wilcoxon::new(&[[0.1 + 0.2, 0.3]; 20]);
        assert_eq!((equal.equal, equal.p), (20, 1.0));
    }

    #[test]
    fn nothing_and_balance() {
        assert_eq!(test(&[]).p, 1.0);
        assert_eq!(test(&[0.0]).p, 1.0);
        assert_eq!(test(&[1.0, -2.0, -3.0, 4.0]).p, 1.0);
    }
}
