//! The words of a line of ARFF: bare or quoted, with their places.

use std::borrow::Cow;

use super::super::complaint::Problem;

/// A word of a line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Word<'a> {
    /// The text, without quotes and escapes.
    pub(super) text: Cow<'a, str>,
    /// Whether it was quoted: `'?'` is a value, `?` means missing.
    pub(super) quoted: bool,
    /// Where it starts, in bytes.
    pub(super) start: usize,
}

impl Word<'_> {
    pub(super) fn is_missing(&self) -> bool {
        !self.quoted && self.text == "?"
    }
}

/// A mistake at a byte offset in a line.
pub(super) type Slip = (usize, Problem);

/// A position in a line that advances as words are read.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a str, at: usize) -> Self {
        Self { line, at }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// How many characters come before this position.
    pub(super) fn before(&self) -> usize {
        self.line[..self.at].chars().count()
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    pub(super) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Skips `c` if it comes next. Returns whether it did.
    pub(super) fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    /// The next word; a bare one ends before `ends` or at the end of the line, without the spaces
    /// around it.
    pub(super) fn word(&mut self, ends: impl Fn(char) -> bool) -> Result<Word<'a>, Slip> {
        self.skip_space();
        let start = self.at;
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let (text, length) = unquote(rest, quote).ok_or((start, Problem::OpenQuote))?;
            self.at += length;
            self.skip_space();
            return match self.rest().chars().next() {
                Some(c) if !ends(c) && self.at == start + length => {
                    Err((self.at, Problem::AfterQuote))
                }
                _ => Ok(Word { text, quoted: true, start }),
            };
        }
        let length = rest.find(ends).unwrap_or(rest.len());
        self.at += length;
        Ok(Word { text: rest[..length].trim_end().into(), quoted: false, start })
    }

    /// All words up to the end, separated by commas.
    pub(super) fn list(&mut self, mut each: impl FnMut(Word<'a>)) -> Result<(), Slip> {
        loop {
            each(self.word(|c| c == ',')?);
            if self.rest().is_empty() {
                return Ok(());
            }
            if !self.take(',') {
                return Err((self.at, Problem::AfterQuote));
            }
        }
    }
}

/// The quoted text at the start of `rest`, and its length in bytes including the quotes.
fn unquote(rest: &str, quote: char) -> Option<(Cow<'_, str>, usize)> {
    let inner = &rest[1..];
    let stop = inner.find(['\\', quote])?;
    if inner[stop..].starts_with(quote) {
        return Some((inner[..stop].into(), stop + 2));
    }
    let mut text = inner[..stop].to_owned();
    let mut chars = inner[stop..].char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => text.push(match chars.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            }),
            c if c == quote => return Some((text.into(), stop + at + 2)),
            c => text.push(c),
        }
    }
    None
}

/// A name or value as ARFF writes it: bare where that is unambiguous, otherwise in single quotes.
pub(in super::super) fn quote(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "_-.+:/#$&*()[]<>=|~^;@!".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('@') {
        return text.into();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(line: &str) -> Result<Vec<(String, bool)>, Slip> {
        let mut words = Vec::new();
        Cursor::new(line, 0).list(|word| words.push((word.text.into_owned(), word.quoted)))?;
        Ok(words)
    }

    #[test]
    fn bare_and_quoted() {
        let bare = |text: &str| (text.to_owned(), false);
        let quoted = |text: &str| (text.to_owned(), true);
        assert_eq!(
            words(" a b ,?, '?' ,\"x,y\",'it\\'s'").unwrap(),
            [bare("a b"), bare("?"), quoted("?"), quoted("x,y"), quoted("it's")]
        );
        assert_eq!(words("a,,").unwrap(), [bare("a"), bare(""), bare("")]);
        assert_eq!(words("a,'b").unwrap_err(), (2, Problem::OpenQuote));
        assert_eq!(words("a,'b\\'").unwrap_err(), (2, Problem::OpenQuote));
        assert_eq!(words("'a'b,c").unwrap_err(), (3, Problem::AfterQuote));
        assert_eq!(words("'a' b,c").unwrap_err(), (4, Problem::AfterQuote));
    }

    proptest! {
        #[test]
        fn what_is_quoted_reads_back(text in any::<String>()) {
            let written = format!("{},x", quote(&text));
            prop_assert!(!written.contains('\n'));
            let back = words(&written).unwrap();
            prop_assert_eq!(back.len(), 2);
            prop_assert_eq!(&back[0].0, &text);
            prop_assert!(back[0].1 || !back[0].0.contains('?'));
        }
    }
}
