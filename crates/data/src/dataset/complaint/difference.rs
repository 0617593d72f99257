//! How the files of one data set differ.

/// How the columns of two files differ.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Difference {
    /// The number of columns differs.
    #[error("it has {found} columns, not {expected}")]
    Columns {
        /// In the first file.
        expected: usize,
        /// In this file.
        found: usize,
    },
    /// The names of two columns differ.
    #[error("column {column} is `{found}`, not `{expected}`")]
    Column {
        /// The position, from 1.
        column: usize,
        /// In the first file.
        expected: String,
        /// In this file.
        found: String,
    },
    /// The types of a column differ.
    #[error("column `{name}` has a different type")]
    Kind {
        /// Its name.
        name: String,
    },
    /// The hierarchies differ.
    #[error(
        "its hierarchy (of {found} classes) differs from that of the first file (of {expected})"
    )]
    Hierarchy {
        /// In the first file.
        expected: usize,
        /// In this file.
        found: usize,
    },
}
