//! Confidence intervals by bootstrap over rows: the figures of many samples of as many rows, drawn
//! with replacement.

use rayon::prelude::*;
use rulebound_core::metrics::MetricError;

use super::figures::Figure;
use crate::labelled_scores::LabelledPredictions;
use crate::random::{Draws, Purpose};

/// The share of samples inside an interval.
const CONFIDENCE: f64 = 0.95;

/// How to draw samples. The same seed draws the same rows, whatever is measured on them and however
/// many threads there are. Costs as much as `samples` evaluations, in parallel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bootstrap {
    /// How many samples.
    pub samples: u32,
    /// The seed.
    pub seed: u64,
    /// Whether further metrics are measured too.
    pub with_further: bool,
}

/// The interval of a figure: 95 % of the samples are in it, 2.5 % below and 2.5 % above.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The figure.
    pub figure: Figure,
    /// The percentiles 2.5 and 97.5 of the samples where the figure is defined; `None` where it is
    /// defined in none.
    pub ends: Option<[f64; 2]>,
    /// In how many samples it is defined.
    pub defined: usize,
    /// The figure of all rows, each once.
    pub value: Option<f64>,
}

impl Interval {
    /// Whether the figure of all rows is in the interval; none if either is not defined. It may not be where many
    /// samples lack a class that has few rows.
    pub fn contains_value(&self) -> Option<bool> {
        let ([low, high], value) = (self.ends?, self.value?);
        Some(low <= value && value <= high)
    }
}

/// The values of the figures of one sample after the other.
type Samples = Vec<Values>;
type Values = Vec<(Figure, Option<f64>)>;

impl Bootstrap {
    /// The interval of each figure.
    ///
    /// # Errors
    /// If a score of a class that counts is NaN.
    pub fn intervals(&self, rows: &LabelledPredictions<'_>) -> Result<Vec<Interval>, MetricError> {
        Ok(intervals(&self.sample(rows)?, &self.values(rows)?))
    }

    /// The interval of the difference of each figure, `rows` minus `base`, over the same samples of
    /// rows: both must have the same rows in the same order.
    ///
    /// # Errors
    /// If a score of a class that counts is NaN.
    ///
    /// # Panics
    /// If they have different numbers of rows.
    pub fn differences(
        &self,
        base: &LabelledPredictions<'_>,
        rows: &LabelledPredictions<'_>,
    ) -> Result<Vec<Interval>, MetricError> {
        assert_eq!(base.rows(), rows.rows(), "the same rows");
        let (mut values, mut samples) = (self.values(rows)?, self.sample(rows)?);
        subtract(&mut values, &self.values(base)?);
        for (sample, base) in samples.iter_mut().zip(self.sample(base)?) {
            subtract(sample, &base);
        }
        Ok(intervals(&samples, &values))
    }

    fn values(&self, rows: &LabelledPredictions<'_>) -> Result<Values, MetricError> {
        Ok(rows.figures(self.with_further)?.iter().collect())
    }

    fn sample(&self, rows: &LabelledPredictions<'_>) -> Result<Samples, MetricError> {
        let one = |sample: u32| -> Result<Vec<_>, MetricError> {
            let drawn = self.draw(sample, rows.rows());
            Ok(rows.choose(&drawn).figures(self.with_further)?.iter().collect())
        };
        (0..self.samples).into_par_iter().map(one).collect()
    }

    /// The rows of a sample.
    fn draw(&self, sample: u32, rows: usize) -> Vec<usize> {
        let draws = Draws::new(self.seed, Purpose::Bootstrap);
        let mut drawn = Vec::with_capacity(rows + 1);
        for pair in 0..rows.div_ceil(2) {
            let [a, b, c, d] = draws.four(pair as u32, sample, 0);
            for (low, high) in [(a, b), (c, d)] {
                let wide = u64::from(high) << 32 | u64::from(low);
                drawn.push(((u128::from(wide) * rows as u128) >> 64) as usize);
            }
        }
        drawn.truncate(rows);
        drawn
    }
}

/// Leaves the differences of the figures that both have.
fn subtract(values: &mut Values, base: &Values) {
    let other = |figure: &Figure| base.iter().find(|(other, _)| other == figure);
    values.retain(|(figure, _)| other(figure).is_some());
    for (figure, value) in values {
        *value = value.zip(other(figure).and_then(|(_, value)| *value)).map(|(a, b)| a - b);
    }
}

fn intervals(samples: &Samples, whole: &Values) -> Vec<Interval> {
    let Some(first) = samples.first() else { return Vec::new() };
    let interval = |at: usize| {
        let values = samples.iter().filter_map(|sample| sample.get(at)?.1);
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let tail = (1.0 - CONFIDENCE) / 2.0;
        let ends = [tail, 1.0 - tail].map(|share| quantile(&values, share));
        let ends = match ends {
            [Some(low), Some(high)] => Some([low, high]),
            _ => None,
        };
        let figure = first[at].0;
        let value = whole.iter().find(|(other, _)| *other == figure).and_then(|(_, value)| *value);
        Interval { figure, ends, defined: values.len(), value }
    };
    (0..first.len()).map(interval).collect()
}

/// The quantile of sorted values, interpolated linearly.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), Some(2.0));
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), Some(3.0));
        assert_eq!(quantile(&[7.0], 0.975), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn every_row_is_drawn_about_equally_often() {
        let bootstrap = Bootstrap { samples: 1, seed: 3, with_further: false };
        let mut counts = [0; 7];
        for sample in 0..3000 {
            let drawn = bootstrap.draw(sample, 7);
            assert_eq!(drawn.len(), 7);
            drawn.into_iter().for_each(|row| counts[row] += 1);
        }
        assert!(counts.iter().all(|count| (2800..3200).contains(count)), "{counts:?}");
        assert!(bootstrap.draw(0, 0).is_empty());
    }
}
