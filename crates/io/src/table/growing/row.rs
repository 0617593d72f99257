//! Rows of a growing table, and their cells by column name.

use std::str::FromStr;

/// A row of a growing table. It must be able to read back what it writes.
pub trait GrowingRow: Sized {
    /// What the rows are called in messages: `trials`.
    const PLURAL: &'static str;

    /// The names of the columns.
    fn columns() -> Vec<String>;

    /// The cells, one for each column.
    fn cells(&self) -> Vec<String>;

    /// The row that has these cells.
    ///
    /// # Errors
    /// The name of the first column whose cell is not valid.
    fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String>;
}

/// The cells of a row by column name.
#[derive(Clone, Copy, Debug)]
pub struct NamedCells<'a> {
    pub(super) columns: &'a [String],
    pub(super) cells: &'a [String],
}

impl NamedCells<'_> {
    /// The text of a cell; empty if there is no such column.
    pub fn text(&self, column: &str) -> &str {
        let at = self.columns.iter().position(|name| name == column);
        at.and_then(|at| self.cells.get(at)).map_or("", String::as_str)
    }

    /// Parses a cell.
    ///
    /// # Errors
    /// The name of the column, if the cell is not valid.
    pub fn parse<T: FromStr>(&self, column: &str) -> Result<T, String> {
        self.text(column).parse().map_err(|_| column.to_owned())
    }

    /// The finite number in a cell, if it is not empty.
    ///
    /// # Errors
    /// The name of the column, if the cell is not valid.
    pub fn number(&self, column: &str) -> Result<Option<f64>, String> {
        if self.text(column).is_empty() {
            return Ok(None);
        }
        let number: f64 = self.parse(column)?;
        if number.is_finite() { Ok(Some(number)) } else { Err(column.to_owned()) }
    }

    /// The finite number in a cell that must not be empty.
    ///
    /// # Errors
    /// The name of the column, if the cell is empty or not valid.
    pub fn needed_number(&self, column: &str) -> Result<f64, String> {
        self.number(column)?.ok_or_else(|| column.to_owned())
    }
}
