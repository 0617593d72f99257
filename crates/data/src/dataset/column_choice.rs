//! What the columns of a table are, where the table itself does not show it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::DatasetError;

/// What columns of a table are. Names; an ignored one may also be a prefix that ends in `*`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ColumnChoice {
    /// Columns that identify rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<String>,
    /// Columns that are nominal although they hold numbers, or many values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nominal: Vec<String>,
    /// Columns that are numeric whatever they hold; other cells are mistakes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numeric: Vec<String>,
    /// Columns that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// What a column was chosen to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Chosen {
    Identifier,
    Ignored,
    Nominal,
    Numeric,
}

impl ColumnChoice {
    /// What a column was chosen to be, if anything.
    pub(super) fn of(&self, column: &str) -> Option<Chosen> {
        let is_in = |names: &[String]| names.iter().any(|name| name == column);
        Some(if is_in(&self.identifiers) {
            Chosen::Identifier
        } else if self.ignored.iter().any(|name| is_named(column, name)) {
            Chosen::Ignored
        } else if is_in(&self.nominal) {
            Chosen::Nominal
        } else if is_in(&self.numeric) {
            Chosen::Numeric
        } else {
            return None;
        })
    }

    /// Whether nothing is chosen.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns an error for a name that no column has.
    pub(super) fn expect_columns(&self, names: &[String], path: &Path) -> Result<(), DatasetError> {
        let plain = self.identifiers.iter().chain(&self.nominal).chain(&self.numeric);
        let absent = plain.into_iter().find(|name| !names.contains(name));
        let unmatched = |name: &&String| !names.iter().any(|column| is_named(column, name));
        match absent.or_else(|| self.ignored.iter().find(unmatched)) {
            None => Ok(()),
            Some(name) => {
                Err(DatasetError::NoColumn { path: path.to_path_buf(), name: name.clone() })
            }
        }
    }
}

/// Whether a name, or a prefix that ends in `*`, means a column.
fn is_named(column: &str, name: &str) -> bool {
    column == name || name.strip_suffix('*').is_some_and(|prefix| column.starts_with(prefix))
}
