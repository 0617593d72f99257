//! Why the numbers of classes could not be read.

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use crate::class_names::{RepeatedClass, UnknownClass};
use crate::input::{InputError, KEPT};
use crate::table::TableError;

/// Why a file of numbers about classes could not be read. `path` is the file, `numbers` what it should have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are explained above")]
pub enum ClassFileError {
    /// The file cannot be opened, read, decompressed or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file cannot be read as Parquet.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The columns of a Parquet file are others.
    #[error("{}: expected the columns class, {}; found {}", path.display(), numbers.columns.join(", "), found.join(", "))]
    Columns { path: PathBuf, numbers: &'static ClassNumbers, found: Vec<String> },
    /// Lines are not valid; all of them.
    #[error("{}: {} invalid lines{}", path.display(), mistakes.len(), listed(mistakes))]
    Lines { path: PathBuf, numbers: &'static ClassNumbers, mistakes: Vec<ClassMistake> },
    /// These classes are not listed, and there is no line for all others.
    #[error("{}: no {} for {}", path.display(), numbers.noun, some(classes))]
    Missing { path: PathBuf, numbers: &'static ClassNumbers, classes: Vec<String> },
}

impl ClassFileError {
    /// A short name of the kind of error, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Input(_) | Self::Table(_) => "unreadable",
            Self::Columns { numbers, .. } | Self::Lines { numbers, .. } => numbers.code,
            Self::Missing { numbers, .. } => numbers.missing_code,
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<String> {
        let Self::Missing { numbers, .. } = self else { return None };
        let others = numbers.others;
        Some(format!("list every class, or add a line `{others}` for all others"))
    }
}

/// A line that is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {problem}")]
pub struct ClassMistake {
    /// The line, from 1; in Parquet the row, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: ClassProblem,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassProblem {
    /// It has another number of columns.
    #[error("expected {} columns, class, {}; found {found}", numbers.columns.len() + 1, numbers.columns.join(", "))]
    Columns {
        /// What there should be.
        numbers: &'static ClassNumbers,
        /// How many columns there are.
        found: usize,
    },
    /// A quotation mark is not closed on its line.
    #[error("unclosed quotation mark")]
    OpenQuote,
    /// No such class.
    #[error(transparent)]
    UnknownClass(#[from] UnknownClass),
    /// The class is on an earlier line.
    #[error(transparent)]
    Duplicate(#[from] RepeatedClass),
    /// No number, or not one of those that are allowed.
    #[error("{text:?} is not {}", numbers.expected)]
    Number {
        /// The text.
        text: String,
        /// What there should be.
        numbers: &'static ClassNumbers,
    },
}

/// What a file says of each class, in the words of its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassNumbers {
    /// The columns behind the class.
    pub(crate) columns: &'static [&'static str],
    /// What a class has none of: `threshold`.
    pub(crate) noun: &'static str,
    /// What a class has twice: `a threshold`.
    pub(crate) what: &'static str,
    /// What a number should be.
    pub(crate) expected: &'static str,
    /// The line for all classes that are not listed.
    pub(crate) others: &'static str,
    pub(crate) code: &'static str,
    pub(crate) missing_code: &'static str,
}

/// The first mistakes, a line each.
fn listed(mistakes: &[ClassMistake]) -> String {
    let mut text = String::new();
    for mistake in mistakes.iter().take(KEPT) {
        // Writing to a string cannot fail.
        let _: fmt::Result = write!(text, "\n{mistake}");
    }
    match mistakes.len().saturating_sub(KEPT) {
        0 => text,
        more => text + &format!("\nand {more} more"),
    }
}

/// The first of these names.
fn some(names: &[String]) -> String {
    /// The most names in one message.
    const NAMED: usize = 10;
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| format!("{name:?}")).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{}, … and {more} more", shown.join(", ")),
    }
}
