//! One cell of a table of any format, and its value.

use std::borrow::Cow;

use super::super::cell;
use super::super::complaint::Problem;

/// One cell of a table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in super::super) enum Cell<'a> {
    Missing,
    Text(&'a str),
    Number(f32),
}

/// What is wrong with a cell, and the text of the cell.
pub(in super::super) type Slip = (String, Problem);

impl<'a> Cell<'a> {
    /// The text; empty if the cell is missing.
    pub(in super::super) fn text(self) -> Cow<'a, str> {
        match self {
            Self::Missing => "".into(),
            Self::Text(text) => text.into(),
            Self::Number(number) => number.to_string().into(),
        }
    }

    /// The number in a cell of the numeric column `column`; NaN if it is missing.
    pub(in super::super) fn number(self, column: &str) -> Result<f32, Slip> {
        match self {
            Self::Missing => Ok(f32::NAN),
            Self::Text(text) => {
                cell::number(text.trim(), column).map_err(|problem| (text.to_owned(), problem))
            }
            Self::Number(number) if number.is_infinite() => {
                Err((number.to_string(), Problem::NotFinite { column: column.to_owned() }))
            }
            Self::Number(number) => Ok(number),
        }
    }
}
