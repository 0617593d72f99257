//! The difference between our runs and a number printed in the paper.

use super::document::{Cell, Mark};
use super::number::{chance, signed};
use super::summary::Summary;
use rulebound_compare::statistics::t_beyond;

/// The number of runs behind the paper's means.
const PRINTED_RUNS: f64 = 10.0;

/// The largest rounding error of a printed number.
const ROUNDING: f64 = 0.0005;

/// The significance level.
pub(super) const ALPHA: f64 = 0.05;

/// What is tested, for the reader.
pub(super) const EXPLAINED: &str = "The difference is ours less the paper's. A printed number was \
    rounded to three decimals, so 0.0005 is first taken off its size. `within 1 sd` says whether \
    what is left is at most the standard deviation of our runs (divided by n − 1). p is a \
    two-sided t test: the paper prints the mean of 10 runs and no deviation for each set, so its \
    deviation is taken to be ours, s, and t = rest / (s √(1/n + 1/10)) with n − 1 degrees of \
    freedom. A small p says that the paper's mean and ours differ by more than chance; the p \
    here are not corrected for the number of rows of a table.";

/// The difference between a mean of ours and a printed one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Difference {
    /// Ours minus the printed one.
    pub difference: f64,
    /// Whether they differ by at most one standard deviation of ours, allowing for rounding;
    /// unknown for a single run.
    pub is_within: Option<bool>,
    /// The probability of such a difference if the true means were equal.
    pub p: Option<f64>,
}

impl Difference {
    pub fn new(ours: &Summary, printed: f64) -> Self {
        let difference = ours.mean - printed;
        // Decimal fractions are not exact in binary: 0.2555 − 0.255 is slightly above 0.0005.
        let rest = (difference.abs() - ROUNDING - 1e-12).max(0.0);
        let is_within = ours.deviation.map(|deviation| rest <= deviation);
        let count = ours.count as f64;
        let p = ours.deviation.and_then(|deviation| {
            let error = deviation * (1.0 / count + 1.0 / PRINTED_RUNS).sqrt();
            match (rest > 0.0, error > 0.0) {
                (false, _) => Some(1.0),
                (true, true) => Some(t_beyond(rest / error, count - 1.0)),
                (true, false) => None,
            }
        });
        Self { difference, is_within, p }
    }

    /// Difference, whether it is within one deviation, and p.
    pub fn cells(&self) -> [Cell; 3] {
        let within = match self.is_within {
            Some(true) => Cell::with_value(1.0, "yes").marked(Mark::Fits, true),
            Some(false) => Cell::with_value(0.0, "no").marked(Mark::Differs, true),
            None => Cell::none(),
        };
        let p = self.p.map_or_else(Cell::none, |p| {
            Cell::with_value(p, chance(p)).marked(Mark::Differs, p <= ALPHA)
        });
        [Cell::with_value(self.difference, signed(self.difference, 4)), within, p]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(values: &[f64], printed: f64) -> Difference {
        Difference::new(&Summary::new(values).unwrap(), printed)
    }

    /// By hand: mean 0.252, s = 0.002, rest 0.0025; t = 0.0025 / (0.002 √(1/3 + 1/10)) = 1.8988
    /// with 2 degrees of freedom: p = 1 − t / √(2 + t²).
    #[test]
    fn the_test_by_hand() {
        let found = test(&[0.250, 0.252, 0.254], 0.255);
        assert!((found.difference + 0.003).abs() < 1e-12);
        assert_eq!(found.is_within, Some(false));
        let t = 0.0025 / (0.002 * (1.0_f64 / 3.0 + 0.1).sqrt());
        assert!((found.p.unwrap() - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-9);
        let [difference, within, p] = found.cells();
        assert_eq!((difference.text.as_str(), within.text.as_str()), ("−0.0030", "no"));
        assert_eq!((p.text.as_str(), p.mark), ("0.1980", None));
    }

    #[test]
    fn rounding_is_no_difference() {
        let found = test(&[0.2555, 0.2555], 0.255);
        assert_eq!((found.is_within, found.p), (Some(true), Some(1.0)));
        assert_eq!(test(&[0.0, 0.0], 0.0).p, Some(1.0));
        // Without any variance there is no test.
        assert_eq!(
            (test(&[0.3, 0.3], 0.25).is_within, test(&[0.3, 0.3], 0.25).p),
            (Some(false), None)
        );
        assert_eq!(test(&[0.3], 0.3), Difference { is_within: None, p: None, ..test(&[0.3], 0.3) });
    }
}
