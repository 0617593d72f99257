//! A mean that is accumulated value by value.

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
