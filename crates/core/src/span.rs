//! A place in a text of rules: line, column and length.

use std::fmt;

/// A place in a text: line and column count from 1, in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The line, from 1; 0 for a rule that was not read from a text.
    pub line: u32,
    /// The column of the first character, from 1.
    pub column: u32,
    /// The number of characters.
    pub length: u32,
}

impl Span {
    /// The span of `text[start..end]`, a part of line number `line`.
    pub(crate) fn within(line: u32, text: &str, start: usize, end: usize) -> Self {
        let clamp = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            line,
            column: clamp(text[..start].chars().count()).saturating_add(1),
            length: clamp(text[start..end].chars().count().max(1)),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
