//! What is wrong with a file: every mistake with its place.
//!
//! A reader does not stop at the first bad row. The list keeps the first [`KEPT`] mistakes in the
//! order of the file and counts the rest, so that a file that is wrong throughout takes no more
//! memory than one with a few mistakes.

use std::fmt;

/// The most mistakes that an error carries.
pub const KEPT: usize = 20;

/// The most characters of the offending text that an error carries.
const SHOWN: usize = 80;

/// The first [`KEPT`] items of a list, and how many there are in total.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt<T> {
    kept: Vec<T>,
    total: u64,
}

impl<T> Excerpt<T> {
    /// The first items, in file order; at most [`KEPT`].
    pub fn kept(&self) -> &[T] {
        &self.kept
    }

    /// How many there are in total.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many there are in addition to the kept ones.
    pub fn more(&self) -> u64 {
        self.total - self.kept.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Counts one more item, which is built only if it is kept.
    pub fn push_with(&mut self, make: impl FnOnce() -> T) {
        self.total += 1;
        if self.kept.len() < KEPT {
            self.kept.push(make());
        }
    }

    /// The kept items, and how many there are in total.
    pub(crate) fn into_parts(self) -> (Vec<T>, u64) {
        (self.kept, self.total)
    }
}

impl<T> Default for Excerpt<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), total: 0 }
    }
}

/// One mistake in a file; `P` says what can be wrong there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake<P> {
    /// The line, from 1; in Parquet the row, from 1.
    pub line: u64,
    /// The position in the line, from 1: the field in tables (CSV, TSV, Parquet), the character in
    /// all other files.
    pub column: usize,
    /// The offending text, truncated to 80 characters (then it ends in `…`).
    pub text: String,
    /// What is wrong with it.
    pub problem: P,
}

/// The mistakes of one file.
pub type Mistakes<P> = Excerpt<Mistake<P>>;

impl<P> Mistakes<P> {
    /// Adds a mistake.
    pub fn push(&mut self, line: u64, column: usize, text: &str, problem: P) {
        self.push_at(line, || column, text, problem);
    }

    /// As [`push`](Self::push), for a column that is expensive to compute: it is computed only for
    /// mistakes that are kept.
    pub fn push_at(&mut self, line: u64, column: impl FnOnce() -> usize, text: &str, problem: P) {
        self.push_with(|| Mistake { line, column: column(), text: cut(text), problem });
    }
}

impl<P: fmt::Display> fmt::Display for Mistake<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {:?} {}", self.line, self.column, self.text, self.problem)
    }
}

impl<T: fmt::Display> fmt::Display for Excerpt<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, one) in self.kept.iter().enumerate() {
            let newline = if place > 0 { "\n" } else { "" };
            write!(f, "{newline}{one}")?;
        }
        match self.more() {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// The text, truncated to 80 characters.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_are_kept_and_all_are_counted() {
        let mut mistakes: Mistakes<&str> = Mistakes::default();
        assert!(mistakes.is_empty());
        for line in 1..=25 {
            let column = || if line <= 20 { 7 } else { panic!("computed for nothing") };
            mistakes.push_at(line, column, &"é".repeat(81), "is wrong");
        }
        assert_eq!((mistakes.kept().len(), mistakes.total(), mistakes.more()), (20, 25, 5));
        assert_eq!(mistakes.kept()[0].text, format!("{}…", "é".repeat(80)));
        assert!(mistakes.to_string().ends_with("is wrong\nand 5 more"));
    }
}
