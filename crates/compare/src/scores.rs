//! The values to compare: one number per data set and method, for one metric.

use super::error::{CompareError, IncompleteSet};
use super::metric_name::MetricName;

rulebound_core::named_enum! {
    /// How a data set without a value for some method is treated.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum Missing: "a treatment of missing values" {
        /// The data set is dropped.
        #[default]
        LeaveOut = "leave-out",
        /// A method without a value is ranked last on that data set; several share the last ranks.
        Last = "last",
    }
}

/// Values of one metric, data sets × methods; both in order of first appearance.
#[derive(Clone, PartialEq, Debug)]
pub struct Scores {
    /// The metric, if its name is known.
    pub metric: Option<MetricName>,
    /// The names of the data sets.
    pub sets: Vec<String>,
    /// The names of the methods.
    pub methods: Vec<String>,
    /// One row per data set, one value per method where there is one; all are finite.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Scores {
    /// The data sets without a value for some method.
    pub fn lacking(&self) -> Vec<IncompleteSet> {
        let lacks = |(set, row): (&String, &Vec<Option<f64>>)| {
            let absent = self.methods.iter().zip(row).filter(|(_, value)| value.is_none());
            let methods: Vec<String> = absent.map(|(method, _)| method.clone()).collect();
            (!methods.is_empty()).then(|| IncompleteSet { set: set.clone(), methods })
        };
        self.sets.iter().zip(&self.values).filter_map(lacks).collect()
    }
}

impl Scores {
    /// The scores of some methods, in the given order; a data set that has no value for any of them
    /// is dropped.
    ///
    /// # Errors
    /// [`CompareError::NoSuchMethod`] with the first that does not exist.
    pub fn only(&self, methods: &[String]) -> Result<Self, CompareError> {
        let place = |name: &String| {
            let place = self.methods.iter().position(|method| method == name);
            place.ok_or_else(|| CompareError::NoSuchMethod {
                name: name.clone(),
                methods: self.methods.clone(),
            })
        };
        let places = methods.iter().map(place).collect::<Result<Vec<usize>, _>>()?;
        let (mut sets, mut values) = (Vec::new(), Vec::new());
        for (set, row) in self.sets.iter().zip(&self.values) {
            let row: Vec<Option<f64>> = places.iter().map(|&place| row[place]).collect();
            if row.iter().any(Option::is_some) {
                sets.push(set.clone());
                values.push(row);
            }
        }
        Ok(Self { metric: self.metric.clone(), sets, methods: methods.to_vec(), values })
    }
}

/// Why no metric could be chosen from a table.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum ChooseError {
    /// There is no value at all.
    #[error("there is no value to compare")]
    NoValues,
    /// There are several metrics, and none was requested.
    #[error("there are values of {} metrics: {}", metrics.len(), metrics.join(", "))]
    ManyMetrics { metrics: Vec<String> },
    /// There is no value of the requested metric.
    #[error("there is no value of the metric {wanted:?}")]
    NoSuchMetric { wanted: String, metrics: Vec<String> },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_methods_keep_their_sets() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let scores = Scores {
            metric: None,
            sets: names(&["s", "t"]),
            methods: names(&["A", "B", "C"]),
            values: vec![vec![Some(1.0), None, Some(3.0)], vec![None, Some(2.0), None]],
        };
        let wanted: Vec<String> = names(&["C", "A"]);
        let only = scores.only(&wanted).unwrap();
        assert_eq!((only.sets, only.methods), (names(&["s"]), wanted));
        assert_eq!(only.values, [[Some(3.0), Some(1.0)]]);
        let none: Vec<String> = names(&["A", "D"]);
        assert_eq!(scores.only(&none).unwrap_err().to_string(), "there is no method \"D\"");
    }
}
