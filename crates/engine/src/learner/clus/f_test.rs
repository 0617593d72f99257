//! The F-test: whether a split reduces the variance more than chance would.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// Critical values of F with 1 and n degrees of freedom.
///
/// CLUS has tables for the levels 0.1, 0.05, 0.01, 0.005 and 0.001, with the rounding and the coarse
/// steps of printed ones, and the same values are used here, since a tree changes where a split is
/// just above or below. For other levels the values are exact up to the point where they are
/// within 5 % of their limit, which is used from there on.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum FTest {
    /// Every split passes.
    None,
    /// The critical values for 1, 2, … degrees of freedom, then those up to some number, then the
    /// last.
    Table { values: Vec<f64>, steps: &'static [(usize, f64)], limit: f64 },
}

impl FTest {
    /// The test of this level, from 0 to 1.
    pub(super) fn new(level: f64) -> Self {
        let is = |known: f64| (level - known).abs() / known < 0.01;
        let squares = |roots: &[f64]| roots.iter().map(|root| root * root).collect();
        let table = |values, steps, limit| Self::Table { values, steps, limit };
        if is(1.0) {
            Self::None
        } else if is(0.1) {
            table(squares(&ROOTS_10), &[(30, 2.9), (40, 2.86), (120, 2.79)], 2.7)
        } else if is(0.05) {
            table(VALUES_5.to_vec(), &[(40, 4.08), (60, 4.00), (120, 3.92)], 3.84)
        } else if is(0.01) {
            table(VALUES_1.to_vec(), &[(40, 7.31), (60, 7.08), (120, 6.85)], 6.63)
        } else if is(0.005) {
            table(squares(&ROOTS_05), &[(40, 8.82), (60, 8.47), (120, 8.18)], 7.90)
        } else if is(0.001) {
            table(squares(&ROOTS_01), &[(40, 12.60), (60, 11.98), (120, 11.36)], 10.82)
        } else {
            Self::exact(level)
        }
    }

    fn exact(level: f64) -> Self {
        let critical = |freedom: f64| match FisherSnedecor::new(1.0, freedom) {
            Ok(distribution) => distribution.inverse_cdf(1.0 - level),
            Err(error) => unreachable!("degrees of freedom are positive: {error}"),
        };
        let limit = critical(1e5);
        // Zero for one and two degrees of freedom, as CLUS has it.
        let mut values = vec![0.0; 2];
        loop {
            let value = critical(values.len() as f64 + 1.0);
            values.push(value);
            if (value - limit) / limit <= 0.05 {
                return Self::Table { values, steps: &[], limit };
            }
        }
    }

    /// Whether a split passes that brings the sum of squares of rows with this weight from `before`
    /// to `after`.
    pub(super) fn passes(&self, weight: f64, before: f64, after: f64) -> bool {
        let Self::Table { values, steps, limit } = self else { return true };
        let freedom = (weight - 2.0 + 0.5).floor();
        if freedom < 1.0 || before <= 0.0 {
            return false;
        }
        if after == 0.0 {
            return true;
        }
        let place = freedom as usize;
        let critical = values.get(place - 1).copied().unwrap_or_else(|| {
            steps.iter().find(|step| place <= step.0).map_or(*limit, |step| step.1)
        });
        freedom * (before - after) / after > critical
    }
}

/// Critical values of t, rounded, for a level of 0.1.
const ROOTS_10: [f64; 20] = [
    6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.90, 1.86, 1.83, 1.81, 1.80, 1.78, 1.77, 1.76, 1.75, 1.75,
    1.74, 1.73, 1.73, 1.72,
];

/// Critical values of F for a level of 0.05.
const VALUES_5: [f64; 30] = [
    161.0, 18.5, 10.1, 7.71, 6.61, 5.99, 5.59, 5.32, 5.12, 4.96, 4.84, 4.75, 4.67, 4.6, 4.54, 4.49,
    4.45, 4.41, 4.38, 4.35, 4.32, 4.3, 4.28, 4.26, 4.24, 4.23, 4.21, 4.2, 4.18, 4.17,
];

/// Critical values of F for a level of 0.01.
const VALUES_1: [f64; 30] = [
    4052.0, 98.5, 34.1, 21.2, 16.3, 13.7, 12.2, 11.3, 10.6, 10.0, 9.65, 9.33, 9.07, 8.86, 8.68,
    8.53, 8.40, 8.29, 8.18, 8.1, 8.02, 7.95, 7.88, 7.82, 7.77, 7.72, 7.68, 7.64, 7.6, 7.56,
];

/// Critical values of t, rounded, for a level of 0.005.
#[allow(clippy::approx_constant)]
const ROOTS_05: [f64; 30] = [
    126.0, 14.1, 7.45, 5.6, 4.77, 4.32, 4.03, 3.83, 3.69, 3.58, 3.5, 3.43, 3.36, 3.33, 3.29, 3.25,
    3.22, 3.2, 3.17, 3.15, 3.14, 3.12, 3.1, 3.09, 3.08, 3.07, 3.06, 3.05, 3.04, 3.03,
];

/// Critical values of t, rounded, for a level of 0.001.
const ROOTS_01: [f64; 30] = [
    637.0, 31.6, 12.9, 8.61, 6.86, 5.96, 5.4, 5.04, 4.78, 4.59, 4.44, 4.32, 4.22, 4.14, 4.07, 4.01,
    3.95, 3.92, 3.88, 3.85, 3.82, 3.79, 3.77, 3.74, 3.72, 3.71, 3.69, 3.67, 3.66, 3.65,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables are those of F up to their rounding, and get no further from it than their steps.
    #[test]
    fn tables_are_near_the_distribution() {
        for level in [0.1, 0.05, 0.01, 0.005, 0.001] {
            let FTest::Table { values, steps, limit } = FTest::new(level) else { panic!() };
            let exact = |freedom: usize| {
                FisherSnedecor::new(1.0, freedom as f64).unwrap().inverse_cdf(1.0 - level)
            };
            for (place, &value) in values.iter().enumerate() {
                let exact = exact(place + 1);
                assert!((value - exact).abs() < 0.025 * exact, "{level} {place}: {value} {exact}");
            }
            for &(freedom, value) in steps {
                let exact = exact(freedom);
                assert!((value - exact).abs() < 0.02 * exact, "{level} {freedom}: {value} {exact}");
            }
            assert!((limit - exact(100_000)).abs() < 0.004 * limit);
        }
    }

    #[test]
    fn a_split_must_be_above_the_critical_value() {
        let test = FTest::new(0.05);
        // With 12 rows there are 10 degrees of freedom: F must be above 4.96.
        assert!(test.passes(12.0, 1.5, 1.0) && !test.passes(12.0, 1.49, 1.0));
        assert!(!test.passes(2.0, 2.0, 1.0), "no degrees of freedom");
        assert!(test.passes(12.0, 1.0, 0.0) && !test.passes(12.0, 0.0, 0.0));
        assert!(FTest::new(1.0).passes(12.0, 1.0, 1.0));
    }

    #[test]
    fn other_levels_are_exact_until_the_limit() {
        let FTest::Table { values, limit, .. } = FTest::new(0.125) else { panic!() };
        assert_eq!(values[..2], [0.0, 0.0]);
        assert!((limit - 2.353).abs() < 1e-3, "{limit}");
        let last = values[values.len() - 1];
        assert!(last > limit && (last - limit) / limit <= 0.05);
    }
}
