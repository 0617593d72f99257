//! Columns: the attributes of a data set, by name and kind.
//!
//! Invariant of the columns of a data set: names are unique ([`unique_names`]).
//!
//! [`unique_names`]: rulebound_io::table::unique_names

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// What a column holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// One of a list of values; a cell holds the value's index in the list.
    Nominal {
        /// The values, distinct.
        values: Vec<String>,
    },
}

/// One attribute of the examples.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Column {
    /// Its name, unique in the data set.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

impl Column {
    /// A column of numbers.
    pub fn numeric(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: ColumnKind::Numeric }
    }

    /// A column of values from a list; duplicate values are kept once.
    pub fn nominal<V: Into<String>>(
        name: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let mut seen = HashSet::new();
        let values = values.into_iter().map(Into::into);
        let values = values.filter(|value: &String| seen.insert(value.clone())).collect();
        Self { name: name.into(), kind: ColumnKind::Nominal { values } }
    }

    /// The values of a nominal column; none for a numeric one.
    pub fn values(&self) -> Option<&[String]> {
        match &self.kind {
            ColumnKind::Numeric => None,
            ColumnKind::Nominal { values } => Some(values),
        }
    }

    /// Whether the values are `0` and `1`, in any order: such a column is encoded as one number.
    pub fn is_indicator(&self) -> bool {
        self.values().is_some_and(|values| matches!(values, [a, b] if is_bit(a) && is_bit(b)))
    }

    /// A cell as text; `None` if it is missing.
    pub(super) fn show(&self, cell: f32) -> Option<String> {
        match self.values() {
            _ if cell.is_nan() => None,
            None => Some(cell.to_string()),
            Some(values) => values.get(cell as usize).cloned(),
        }
    }

    /// How many columns it becomes when it is [encoded](super::Pipeline).
    pub fn encoded_width(&self) -> usize {
        match self.values() {
            Some(values) if !self.is_indicator() => values.len(),
            _ => 1,
        }
    }
}

fn is_bit(value: &str) -> bool {
    matches!(value, "0" | "1")
}
