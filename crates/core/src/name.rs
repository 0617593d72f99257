//! How the rule language spells a class name: bare where that is unambiguous, otherwise in double
//! quotes with escapes.
//!
//! Invariant: [`unquote`] reads back what [`Quoted::always`] writes.

use std::borrow::Cow;
use std::fmt;

/// A name as the rule language writes it.
pub(crate) struct Quoted<'a>(pub &'a str);

impl Quoted<'_> {
    /// In quotes, whether it needs them or not.
    pub fn always(name: &str) -> String {
        let mut quoted = String::from("\"");
        for c in name.chars() {
            match c {
                '"' => quoted.push_str("\\\""),
                '\\' => quoted.push_str("\\\\"),
                '\n' => quoted.push_str("\\n"),
                '\r' => quoted.push_str("\\r"),
                '\t' => quoted.push_str("\\t"),
                c => quoted.push(c),
            }
        }
        quoted + "\""
    }

    fn is_bare(&self) -> bool {
        let name = self.0;
        !name.is_empty()
            && !matches!(name, "not" | "and")
            && !name.starts_with(['!', '~', '¬', '\u{feff}'])
            && !name.ends_with('.')
            && !["->", "→", ":-", "=>", "<-", "<="].iter().any(|arrow| name.contains(arrow))
            && !name
                .chars()
                .any(|c| c.is_whitespace() || c.is_control() || ",&\"#%|;()".contains(c))
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_bare() {
            return f.write_str(self.0);
        }
        f.write_str(&Self::always(self.0))
    }
}

/// Why a quoted name cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QuoteError {
    /// The closing quotation mark is missing.
    Open,
    /// A backslash before this character, which is not an escape.
    Escape(char),
}

/// Reads the quoted name at the start of `text`, which must start with `"`. Returns the name and
/// its length in bytes with both quotation marks.
pub(crate) fn read_quoted(text: &str) -> Result<(Cow<'_, str>, usize), QuoteError> {
    let mut chars = text.char_indices().skip(1);
    // A name without escapes is borrowed.
    let mut unescaped: Option<String> = None;
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let name = unescaped.map_or(Cow::Borrowed(&text[1..at]), Cow::Owned);
                return Ok((name, at + 1));
            }
            '\\' => {
                let name = unescaped.get_or_insert_with(|| text[1..at].to_owned());
                match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => name.push(c),
                    Some((_, 'n')) => name.push('\n'),
                    Some((_, 'r')) => name.push('\r'),
                    Some((_, 't')) => name.push('\t'),
                    Some((_, c)) => return Err(QuoteError::Escape(c)),
                    None => break,
                }
            }
            c => {
                if let Some(name) = &mut unescaped {
                    name.push(c);
                }
            }
        }
    }
    Err(QuoteError::Open)
}

/// The name in `text`, if all of `text` is one quoted name that is not empty.
pub(crate) fn unquote(text: &str) -> Option<Cow<'_, str>> {
    if !text.starts_with('"') {
        return None;
    }
    let (name, length) = read_quoted(text).ok()?;
    (length == text.len() && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ambiguous_names_are_quoted() {
        for bare in ["GO:0008150", "01.01.03", "t-cell", "a'b", "notable", "Größe"] {
            assert_eq!(Quoted(bare).to_string(), bare);
        }
        for quoted in ["a b", "not", "x.", "a->b", "!a", "a,b", "", "C#", "f(x)"] {
            assert_eq!(Quoted(quoted).to_string(), format!("\"{quoted}\""));
        }
        assert_eq!(Quoted("say \"hi\"\\").to_string(), r#""say \"hi\"\\""#);
    }

    #[test]
    fn a_quoted_name_is_read_back() {
        for name in ["plain", "a b", "say \"hi\"\\", "two\nlines\r\ttab", "Größe"] {
            assert_eq!(unquote(&Quoted::always(name)).as_deref(), Some(name));
        }
        for text in ["bare", "\"open", "\"a\" ", "\"a\"b", "\"\"", "\"\\q\"", ""] {
            assert_eq!(unquote(text), None, "{text}");
        }
    }
}
