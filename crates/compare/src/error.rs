//! Why methods cannot be compared.

use serde::Serialize;

/// Why scores cannot be compared.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum CompareError {
    /// It is not known which direction is better.
    #[error("it is not known whether higher or lower {} is better", metric.as_deref().map_or("values".to_owned(), |metric| format!("{metric:?}")))]
    UnknownDirection {
        /// The metric, if it has a name.
        metric: Option<String>,
    },
    /// Fewer than two methods.
    #[error("there is only one method, {method:?}; a comparison needs two")]
    OneMethod { method: String },
    /// Fewer than two data sets are left.
    #[error(
        "{left} of {} data sets {} for every method; a comparison needs two",
        left + lacking.len(),
        if *left == 1 { "has a value" } else { "have values" }
    )]
    FewSets {
        /// The number of data sets left.
        left: usize,
        /// The incomplete data sets, with what they lack.
        lacking: Vec<IncompleteSet>,
    },
    /// There is no method with this name.
    #[error("there is no method {name:?}")]
    NoSuchMethod { name: String, methods: Vec<String> },
    /// Alpha is not between 0 and 1.
    #[error("alpha is {alpha}, which is not between 0 and 1")]
    Alpha { alpha: f64 },
}

/// A data set, and the methods that have no value on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct IncompleteSet {
    /// The data set.
    pub set: String,
    /// The methods.
    pub methods: Vec<String>,
}
