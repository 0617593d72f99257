//! Rust text as words and signs, without comments, strings and characters.

/// A word, `::`, or one other sign, and the line it is on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub text: String,
    pub line: usize,
}

impl Token {
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_')
    }
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { rest: text, line: 1, found: Vec::new() };
    while reader.step() {}
    reader.found
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    found: Vec<Token>,
}

impl Reader<'_> {
    /// Reads the next token; returns whether there was one.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if self.rest.starts_with("//") {
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.skip(comment(self.rest));
        } else if let Some(length) = raw_string(self.rest) {
            self.skip(length);
        } else if first == '"' || self.rest.starts_with("b\"") {
            self.skip(string(self.rest));
        } else if first == '\'' || self.rest.starts_with("b'") {
            self.skip(character(self.rest));
        } else if first.is_alphanumeric() || first == '_' {
            let end = |c: char| !(c.is_alphanumeric() || c == '_');
            self.take(self.rest.find(end).unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("::") {
            self.take(2);
        } else if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else {
            self.take(first.len_utf8());
        }
        true
    }

    fn skip(&mut self, length: usize) {
        let (passed, rest) = self.rest.split_at(length);
        self.line += passed.matches('\n').count();
        self.rest = rest;
    }

    fn take(&mut self, length: usize) {
        self.found.push(Token { text: self.rest[..length].to_owned(), line: self.line });
        self.skip(length);
    }
}

/// The length of a comment, including nested comments.
fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of `r"…"`, `r#"…"#`, `br"…"` and so on, if the text begins with one.
fn raw_string(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let inside = rest[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let begins = text.len() - inside.len();
    Some(inside.find(&end).map_or(text.len(), |at| begins + at + end.len()))
}

/// The length of `"…"`.
fn string(text: &str) -> usize {
    let begins = text.find('"').map_or(0, |at| at + 1);
    let mut escaped = false;
    for (at, c) in text[begins..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return begins + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of `'c'`; for a lifetime only the quote.
fn character(text: &str) -> usize {
    let begins = text.find('\'').map_or(0, |at| at + 1);
    let mut rest = text[begins..].char_indices();
    match rest.next() {
        Some((_, '\\')) => {
            // The escaped character may itself be a quote.
            rest.next();
            rest.find(|(_, c)| *c == '\'').map_or(text.len(), |(at, _)| begins + at + 1)
        }
        Some(_) => match rest.next() {
            Some((at, '\'')) => begins + at + 1,
            _ => begins,
        },
        None => begins,
    }
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn only_code_is_left_and_lines_are_counted() {
        let text = "use a::b; // use c::d\n/* use /* e */\n:: f */ let 'x: &'a str = \"g::h\\\" i\";\n\
                    r#\"j\n\" k\"# b'\\'' '\"' l";
        let found = tokens(text);
        let words: Vec<_> = found.iter().filter(|token| token.is_word()).collect();
        let words: Vec<_> = words.iter().map(|token| (token.text.as_str(), token.line)).collect();
        let expected = [("use", 1), ("a", 1), ("b", 1), ("let", 3), ("x", 3), ("a", 3), ("str", 3)];
        assert_eq!(words, [&expected[..], &[("l", 5)]].concat());
    }
}
