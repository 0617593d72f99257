//! One number a set and method, of one metric: what is compared.

use serde::Serialize;

use super::metric::Metric;

/// What happens to a set that lacks a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Missing {
    /// It is left out.
    #[default]
    LeaveOut,
    /// A method without a value is the last there; several share the last ranks.
    Last,
}

/// A set, and the methods it has no value of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Lacking {
    /// The set.
    pub set: String,
    /// The methods.
    pub methods: Vec<String>,
}

/// Values of one metric, sets × methods; both in the order in which they were met.
#[derive(Clone, PartialEq, Debug)]
pub struct Scores {
    /// What they are of, where a name is known.
    pub metric: Option<Metric>,
    /// The names of the sets.
    pub sets: Vec<String>,
    /// The names of the methods.
    pub methods: Vec<String>,
    /// A row for each set, a value for each method, where there is one; all are finite.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Scores {
    /// The sets that lack a method.
    pub fn lacking(&self) -> Vec<Lacking> {
        let lacks = |(set, row): (&String, &Vec<Option<f64>>)| {
            let absent = self.methods.iter().zip(row).filter(|(_, value)| value.is_none());
            let methods: Vec<String> = absent.map(|(method, _)| method.clone()).collect();
            (!methods.is_empty()).then(|| Lacking { set: set.clone(), methods })
        };
        self.sets.iter().zip(&self.values).filter_map(lacks).collect()
    }
}

/// Why no metric could be chosen from a table.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ChooseError {
    /// There is no value at all.
    #[error("there is no value to compare")]
    NoValues,
    /// Several metrics, and none was asked for.
    #[error("there are values of {} metrics: {}", metrics.len(), metrics.join(", "))]
    ManyMetrics {
        /// Their names.
        metrics: Vec<String>,
    },
    /// No value of the metric asked for.
    #[error("there is no value of the metric {wanted:?}")]
    NoSuchMetric {
        /// What was asked for.
        wanted: String,
        /// What there is.
        metrics: Vec<String>,
    },
}
