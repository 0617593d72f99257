//! Summary statistics of values.

use super::document::Cell;
use super::number::fixed;

/// Mean, standard deviation and range of the runs of a method on a data set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Summary {
    /// The number of values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, divided by one less than their number; none for a single value.
    pub deviation: Option<f64>,
    /// The minimum.
    pub least: f64,
    /// The median; for an even number of values the mean of the middle two.
    pub median: f64,
    /// The maximum.
    pub most: f64,
}

impl Summary {
    /// The summary of these values; `None` if there are none.
    pub fn new(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&least, &most) = (sorted.first()?, sorted.last()?);
        let count = sorted.len();
        let mean = sorted.iter().sum::<f64>() / count as f64;
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        let median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
        Some(Self { count, mean, deviation, least, median, most })
    }

    /// `0.2551 ± 0.0012`.
    pub fn text(&self, decimals: usize) -> String {
        let mean = fixed(self.mean, decimals);
        match self.deviation {
            Some(deviation) => format!("{mean} ± {deviation:.decimals$}"),
            None => mean,
        }
    }

    /// The same as a cell, sorted by the mean.
    pub fn cell(&self, decimals: usize) -> Cell {
        Cell::with_value(self.mean, self.text(decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: mean 5, squares 9 + 1 + 1 + 9 = 20, deviation √(20/3).
    #[test]
    fn the_numbers_of_four_values() {
        let found = Summary::new(&[8.0, 2.0, 6.0, 4.0]).unwrap();
        assert_eq!((found.count, found.mean), (4, 5.0));
        assert!((found.deviation.unwrap() - (20.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!([found.least, found.median, found.most], [2.0, 5.0, 8.0]);
        assert_eq!(found.text(2), "5.00 ± 2.58");
    }

    #[test]
    fn few_values() {
        let one = Summary::new(&[0.25]).unwrap();
        assert_eq!((one.deviation, one.median, one.text(3).as_str()), (None, 0.25, "0.250"));
        assert_eq!(Summary::new(&[3.0, 1.0, 9.0]).unwrap().median, 3.0);
        assert_eq!(Summary::new(&[]), None);
    }
}
