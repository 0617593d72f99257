//! How the files of one data set differ.

/// How the columns of two files differ.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum Difference {
    /// The number of columns differs.
    #[error("it has {found} columns, not {expected}")]
    Columns { expected: usize, found: usize },
    /// The names of two columns differ.
    #[error("column {column} is `{found}`, not `{expected}`")]
    Column {
        /// The position, from 1.
        column: usize,
        expected: String,
        found: String,
    },
    /// The types of a column differ.
    #[error("column `{name}` has a different type")]
    Kind { name: String },
    /// The hierarchies differ.
    #[error(
        "its hierarchy (of {found} classes) differs from that of the first file (of {expected})"
    )]
    Hierarchy { expected: usize, found: usize },
}
