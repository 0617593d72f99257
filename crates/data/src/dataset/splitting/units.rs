//! What is dealt as a whole: single rows, or the groups that a column names.

use std::collections::HashMap;

use super::super::set::Dataset;
use super::error::SplitError;

/// Sets of rows that stay together.
pub(super) struct Units {
    /// The rows of each unit, in order.
    pub(super) rows: Vec<Vec<usize>>,
    /// Whether units are groups.
    pub(super) are_groups: bool,
}

impl Units {
    /// These rows, each on its own, or grouped by the values of a column; a row without a value is a
    /// group of its own.
    pub(super) fn new(
        data: &Dataset,
        rows: impl Iterator<Item = usize>,
        group_column: Option<&str>,
    ) -> Result<Self, SplitError> {
        let Some(column) = group_column else {
            return Ok(Self { rows: rows.map(|row| vec![row]).collect(), are_groups: false });
        };
        let values = data.identifiers().iter().find(|identifier| identifier.name == column);
        let Some(values) = values.map(|identifier| &identifier.values) else {
            let (name, column) = (data.name().to_owned(), column.to_owned());
            return Err(SplitError::NoColumn { name, column });
        };
        let mut units: Vec<Vec<usize>> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for row in rows {
            let place = match values[row].as_deref() {
                None => units.len(),
                Some(value) => *places.entry(value).or_insert(units.len()),
            };
            if place == units.len() {
                units.push(Vec::new());
            }
            units[place].push(row);
        }
        Ok(Self { rows: units, are_groups: true })
    }

    /// What the units are called.
    pub(super) fn what(&self) -> &'static str {
        if self.are_groups { "groups" } else { "rows" }
    }
}
