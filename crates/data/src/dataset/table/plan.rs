//! The role of each column of a table.

use std::path::Path;

use rulebound_core::{LabelId, Labels};

use super::super::column::Column;
use super::super::column_choice::Chosen;
use super::super::error::DatasetError;
use super::super::file_rows::{Known, Role, Roles};
use super::super::labels::columns::LabelColumns;
use super::Choice;

/// The roles of the columns, and the classes of those that are labels.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) names: Vec<String>,
    pub(super) roles: Roles,
    pub(super) classes: Labels,
}

impl Plan {
    /// From the names of the columns, and which of them hold text that is not numeric.
    pub(super) fn new(
        path: &Path,
        names: &[String],
        is_text: &[bool],
        choice: Choice<'_>,
    ) -> Result<Self, DatasetError> {
        let is_joined = matches!(choice.labels, LabelColumns::Joined(_));
        let labels = choice.labels.places(names, path)?;
        let mut classes = Vec::new();
        let mut all = Roles::default();
        for (place, name) in names.iter().enumerate() {
            let is_label = labels.binary_search(&place).is_ok();
            let kind = if is_text[place] { Chosen::Nominal } else { Chosen::Numeric };
            match choice.of(name).unwrap_or(kind) {
                _ if is_label && is_joined => all.roles.push(Role::Joined),
                _ if is_label => {
                    all.roles.push(Role::Label(LabelId::new(classes.len())));
                    classes.push(name.clone());
                }
                Chosen::Identifier => all.identifier(name),
                Chosen::Ignored => all.roles.push(Role::Ignored),
                Chosen::Nominal => all.feature(Column::nominal(name, [""; 0])),
                Chosen::Numeric => all.feature(Column::numeric(name)),
            }
        }
        choice.given.expect_columns(names, path)?;
        let wrong = |source| DatasetError::Labels { path: path.to_path_buf(), source };
        let classes = Labels::new(classes).map_err(wrong)?;
        Ok(Self { names: names.to_vec(), roles: all, classes })
    }

    /// From columns that are known.
    pub(super) fn known(known: Known<'_>) -> Self {
        Self { names: known.names(), roles: known.roles(), classes: known.labels.clone() }
    }
}
