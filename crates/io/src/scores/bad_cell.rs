//! Cells that are not valid scores.

use std::fmt;

/// One cell that is not a valid score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadCell {
    /// The data row, from 1; not counting the header.
    pub row: u64,
    /// The line on which the row starts, from 1; unknown in Parquet.
    pub line: Option<u64>,
    /// The column, from 1.
    pub column: usize,
    /// The name of the column, without surrounding spaces.
    pub name: String,
    /// The text of the cell, truncated to 80 characters (then it ends in `…`).
    pub text: String,
    /// The row's text in the id column, if one was named.
    pub id: Option<String>,
    /// What is wrong with it.
    pub reason: BadReason,
}

/// What is wrong with a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadReason {
    /// It is empty or null.
    Empty,
    /// The text is not a number.
    NotANumber,
    /// It is NaN.
    NaN,
    /// A probability below 0 or above 1.
    OutsideUnit,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// An integer too large to be represented exactly as a 64-bit floating-point number.
    Inexact,
}

impl fmt::Display for BadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "is empty",
            Self::NotANumber => "is not a number",
            Self::NaN => "is NaN",
            Self::OutsideUnit => "is outside [0, 1]",
            Self::NotUtf8 => "is not UTF-8",
            Self::Inexact => "is too large to be represented exactly",
        })
    }
}

impl fmt::Display for BadCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.row)?;
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        if let Some(id) = &self.id {
            write!(f, ", {id:?}")?;
        }
        write!(f, ", column {} {:?}: ", self.column, self.name)?;
        if self.reason == BadReason::Empty {
            return write!(f, "the cell {}", self.reason);
        }
        write!(f, "{:?} {}", self.text, self.reason)
    }
}
