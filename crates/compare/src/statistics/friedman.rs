//! The Friedman test: do any of the methods differ?

use serde::Serialize;

use super::distribution::{chi_square_above, f_above};
use super::ranks::Ranking;

/// Friedman's test on the ranks of k methods over n data sets.
///
/// χ² = (12 / (n·k·(k+1)) Σⱼ Rⱼ² − 3·n·(k+1)) / (1 − Σ(t³ − t) / (n·k·(k²−1))) with Rⱼ the sum of
/// ranks of method j; the divisor corrects for groups of t tied methods. Under the hypothesis that
/// all methods are alike its distribution is approximately chi-square with k − 1 degrees of
/// freedom.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Friedman {
    /// χ², corrected for ties.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub freedom: usize,
    /// The p-value: the probability of a value at least as large if all methods were alike.
    pub p: f64,
    /// The more powerful variant.
    pub iman_davenport: ImanDavenport,
}

/// The correction of Iman and Davenport, F = (n−1)·χ² / (n·(k−1) − χ²), which is less conservative.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ImanDavenport {
    /// F; infinite (in JSON null) if all data sets rank the methods alike.
    pub f: f64,
    /// Its degrees of freedom, k − 1 and (k − 1)·(n − 1).
    pub freedom: [usize; 2],
    /// The p-value: the probability of a value at least as large if all methods were alike.
    pub p: f64,
}

impl Friedman {
    /// The test; `None` where it is undefined: with fewer than two data sets or methods, or if all
    /// methods are tied on all data sets.
    pub fn new(rankings: &[Ranking]) -> Option<Self> {
        let (n, k) = (rankings.len(), rankings.first()?.ranks.len());
        if n < 2 || k < 2 {
            return None;
        }
        let (sets, methods) = (n as f64, k as f64);
        let middle = sets * (methods + 1.0) / 2.0;
        let sum = |method: usize| rankings.iter().map(|ranking| ranking.ranks[method]).sum::<f64>();
        // The same as the formula above, but relative to the mean, which avoids cancellation.
        let spread: f64 = (0..k).map(|method| (sum(method) - middle).powi(2)).sum();
        let ties: f64 = rankings.iter().map(|ranking| ranking.ties).sum();
        // All terms are multiples of one half, so this sum is exact.
        let free = sets * methods * (methods * methods - 1.0) - ties;
        if free <= 0.0 {
            return None;
        }
        let chi_square = 12.0 * (methods - 1.0) * spread / free;
        let most = sets * (methods - 1.0);
        let rest = most - chi_square;
        let f = if rest <= most * 1e-14 { f64::INFINITY } else { (sets - 1.0) * chi_square / rest };
        let freedom = [k - 1, (k - 1) * (n - 1)];
        Some(Self {
            chi_square,
            freedom: k - 1,
            p: chi_square_above(chi_square, methods - 1.0),
            iman_davenport: ImanDavenport {
                f,
                freedom,
                p: f_above(f, freedom[0] as f64, freedom[1] as f64),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::rank;
    use super::*;

    fn test(rows: &[&[f64]]) -> Option<Friedman> {
        let rankings: Vec<_> = rows.iter().map(|row| rank(row, &vec![0.0; row.len()])).collect();
        Friedman::new(&rankings)
    }

    /// By hand: rank sums 4, 8, 12 over four sets; 12/(4·3·4)·224 − 48 = 8.
    #[test]
    fn sets_that_agree_wholly() {
        let found = test(&[&[1.0, 2.0, 3.0][..]; 4]).unwrap();
        assert_eq!((found.chi_square, found.freedom), (8.0, 2));
        assert!((found.p - (-4.0_f64).exp()).abs() < 1e-15);
        assert_eq!((found.iman_davenport.f, found.iman_davenport.p), (f64::INFINITY, 0.0));
        assert_eq!(found.iman_davenport.freedom, [2, 6]);
    }

    /// By hand: ranks 1.5 1.5 3, 1 2 3, 2 1 3: sums 4.5, 4.5, 9; 12/36·121.5 − 36 = 4.5; ties 6,
    /// 1 − 6/72 = 11/12; χ² = 54/11; F = 2·54/11 / (6 − 54/11) = 9.
    #[test]
    fn a_tie_is_corrected_for() {
        let found = test(&[&[1.0, 1.0, 2.0], &[1.0, 2.0, 3.0], &[2.0, 1.0, 3.0]]).unwrap();
        assert!((found.chi_square - 54.0 / 11.0).abs() < 1e-14);
        assert!((found.p - (-27.0_f64 / 11.0).exp()).abs() < 1e-14);
        assert!((found.iman_davenport.f - 9.0).abs() < 1e-12);
        // F with 2 and 4 degrees of freedom: (1 + F/2)⁻².
        assert!((found.iman_davenport.p - 5.5_f64.powi(-2)).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_say() {
        assert_eq!(test(&[&[1.0, 1.0], &[2.0, 2.0]]), None);
        assert_eq!(test(&[&[1.0, 2.0]]), None);
        assert_eq!(test(&[&[1.0], &[2.0]]), None);
        assert_eq!(test(&[]), None);
        let balanced = test(&[&[1.0, 2.0], &[2.0, 1.0]]).unwrap();
        assert_eq!((balanced.chi_square, balanced.p), (0.0, 1.0));
        assert_eq!((balanced.iman_davenport.f, balanced.iman_davenport.p), (0.0, 1.0));
    }
}
