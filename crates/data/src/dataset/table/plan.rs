//! The role of each column of a table.

use std::path::Path;

use super::super::column::Column;
use super::super::column_choice::Chosen;
use super::super::error::DatasetError;
use super::super::labels::columns::LabelColumns;
use super::{Choice, Known};

/// The role of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// The numeric feature with this number.
    Numeric(usize),
    /// The nominal feature with this number.
    Nominal(usize),
    /// The identifier with this number.
    Identifier(usize),
    /// The label with this number.
    Label(usize),
    /// The names of the row's labels, separated by `|`.
    Joined,
    /// Left out.
    Ignored,
}

/// The roles of the columns, and the resulting columns of the data set.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) names: Vec<String>,
    pub(super) roles: Vec<Role>,
    pub(super) columns: Vec<Column>,
    pub(super) identifiers: Vec<String>,
    pub(super) labels: Vec<String>,
    /// Whether all values of nominal columns are known in advance.
    pub(super) is_closed: bool,
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
        let mut plan = Self { names: names.to_vec(), ..Self::default() };
        for (place, name) in names.iter().enumerate() {
            let is_label = labels.binary_search(&place).is_ok();
            let kind = if is_text[place] { Chosen::Nominal } else { Chosen::Numeric };
            plan.roles.push(match choice.of(name).unwrap_or(kind) {
                _ if is_label && is_joined => Role::Joined,
                _ if is_label => {
                    plan.labels.push(name.clone());
                    Role::Label(plan.labels.len() - 1)
                }
                Chosen::Identifier => {
                    plan.identifiers.push(name.clone());
                    Role::Identifier(plan.identifiers.len() - 1)
                }
                Chosen::Ignored => Role::Ignored,
                Chosen::Nominal => {
                    plan.columns.push(Column::nominal(name, [""; 0]));
                    Role::Nominal(plan.columns.len() - 1)
                }
                Chosen::Numeric => {
                    plan.columns.push(Column::numeric(name));
                    Role::Numeric(plan.columns.len() - 1)
                }
            });
        }
        choice.given.expect_columns(names, path)?;
        Ok(plan)
    }

    /// From columns that are known.
    pub(super) fn known(known: Known<'_>) -> Self {
        let features =
            known.columns.iter().enumerate().map(|(place, column)| match column.values() {
                None => Role::Numeric(place),
                Some(_) => Role::Nominal(place),
            });
        let names = known.columns.iter().map(|column| &column.name);
        Self {
            names: known.identifiers.iter().chain(names).chain(known.labels).cloned().collect(),
            roles: (0..known.identifiers.len())
                .map(Role::Identifier)
                .chain(features)
                .chain((0..known.labels.len()).map(Role::Label))
                .collect(),
            columns: known.columns.to_vec(),
            identifiers: known.identifiers.to_vec(),
            labels: known.labels.to_vec(),
            is_closed: true,
        }
    }
}
