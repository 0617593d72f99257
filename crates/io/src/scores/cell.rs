//! What is written into the class columns of a table.

/// What happens to one score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// It is written as it was read.
    Kept,
    /// It is replaced by the cell of this class in the same row, as it was read.
    Copied(usize),
    /// It is replaced by this number.
    Changed(f64),
}

impl Cell {
    /// The resulting number in the cell of `class`, given the `scores` of its row.
    pub fn value(self, scores: &[f64], class: usize) -> f64 {
        match self {
            Self::Kept => scores[class],
            Self::Copied(other) => scores[other],
            Self::Changed(value) => value,
        }
    }
}

/// The decision of a row that is left blank, where a cell has to be a number.
pub(super) const BLANK_DECISION: u8 = 255;

/// What the class columns of a table hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Scores,
    Decisions,
    Names,
}

/// The class cells of a batch, one per row and class.
#[derive(Clone, Copy)]
pub(super) enum ClassCells<'a, 'n> {
    Scores(&'a [Cell]),
    Decisions(&'a [bool]),
    Names(&'a dyn Fn(usize, usize) -> &'n str),
}
