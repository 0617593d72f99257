//! A cell that is no usable score, and the list of them that one error carries.
//!
//! The list keeps the first [`KEPT`] cells in the order of the rows and counts the rest, so that a
//! file of bad cells costs no more memory than a file with a few.

use std::fmt;

use super::error::ScoreError;
use super::header::Header;
use super::input::Input;

/// Bad cells an error carries, at most.
pub(super) const KEPT: usize = 20;

/// Characters of the offending text an error carries, at most.
const SHOWN: usize = 80;

/// One cell that is no usable score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadCell {
    /// The data row, from 1; the header is not counted.
    pub row: u64,
    /// The line of the file the row starts on, from 1; unknown in Parquet.
    pub line: Option<u64>,
    /// The column, from 1.
    pub column: usize,
    /// The name of the column, without surrounding spaces.
    pub name: String,
    /// The text of the cell, cut after 80 characters (then it ends in `…`).
    pub text: String,
    /// The row's text in the id column, if one was named.
    pub id: Option<String>,
    /// What is wrong with it.
    pub reason: BadReason,
}

/// What is wrong with a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadReason {
    /// There is nothing in it, or a null.
    Empty,
    /// The text is not a number.
    NotANumber,
    /// It is NaN.
    NaN,
    /// A probability below 0 or above 1.
    OutsideUnit,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// An integer too large to be held exactly as a 64-bit floating-point number.
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
            Self::Inexact => "is too large to be kept exactly",
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

/// Bad cells met so far.
#[derive(Debug, Default)]
pub(super) struct BadCells {
    cells: Vec<BadCell>,
    total: u64,
}

/// Where a bad cell lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The data row, from 1.
    pub(super) row: u64,
    /// The line, where known.
    pub(super) line: Option<u64>,
    /// The column, from 0.
    pub(super) column: usize,
}

impl BadCells {
    pub(super) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Counts a bad cell; `describe` gives its text and its row's id, and is asked only if both
    /// are kept.
    pub(super) fn push(
        &mut self,
        header: &Header,
        place: Place,
        reason: BadReason,
        describe: impl FnOnce() -> (String, Option<String>),
    ) {
        self.total += 1;
        if self.cells.len() == KEPT {
            return;
        }
        let (text, id) = describe();
        self.cells.push(BadCell {
            row: place.row,
            line: place.line,
            column: place.column + 1,
            name: header.columns()[place.column].name.trim().to_owned(),
            text: cut(text),
            id: id.map(cut),
            reason,
        });
    }

    /// The error that lists them; `complete` when the whole file was read.
    pub(super) fn into_error(self, input: &Input, complete: bool) -> ScoreError {
        ScoreError::BadCells {
            path: input.path().to_path_buf(),
            cells: self.cells,
            total: self.total,
            complete,
        }
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
    text
}
