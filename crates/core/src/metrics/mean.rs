//! Means: of all values with their deviation, and accumulated value by value.

/// The mean and the standard deviation, divided by one less than the number of values; a single value has no deviation.
///
/// ```
/// use rulebound_core::metrics::mean_and_deviation;
/// assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, Some(2.0f64.sqrt())));
/// assert_eq!(mean_and_deviation(&[1.0]), (1.0, None));
/// ```
pub fn mean_and_deviation(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()))
}

/// The sum and the number of values so far.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Mean {
    sum: f64,
    values: u64,
}

impl Mean {
    /// Adds a value; `None` is left out.
    pub(super) fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.values += 1;
        }
    }

    /// The mean; `None` without a value.
    pub(super) fn value(self) -> Option<f64> {
        (self.values > 0).then(|| self.sum / self.values as f64)
    }
}

impl FromIterator<Option<f64>> for Mean {
    fn from_iter<I: IntoIterator<Item = Option<f64>>>(values: I) -> Self {
        let mut mean = Self::default();
        values.into_iter().for_each(|value| mean.add(value));
        mean
    }
}
