//! How one row of a table is named.

use std::fmt;

/// One row: its number or its id.
///
/// ```
/// use rulebound_io::table::RowKey;
/// assert_eq!(RowKey::Id("p7".to_owned()).to_string(), "row with id `p7`");
/// assert!(RowKey::Number(2).is_row(2, None));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowKey {
    /// From 1, without the header.
    Number(u64),
    /// The text in the id column; the first row that has it.
    Id(String),
}

impl RowKey {
    /// Whether it is the row with this number and id.
    pub fn is_row(&self, number: u64, id: Option<&str>) -> bool {
        match self {
            Self::Number(wanted) => *wanted == number,
            Self::Id(wanted) => id == Some(wanted),
        }
    }
}

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "row {number}"),
            Self::Id(id) => write!(f, "row with id `{id}`"),
        }
    }
}
