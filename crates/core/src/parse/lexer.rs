//! The words of the rule language: one line of text → tokens.

use super::error::SyntaxProblem;
use crate::name::{QuoteError, read_quoted};
use std::borrow::Cow;

/// One word, with its position in the line in bytes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind<'a>,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind<'a> {
    /// A class name, bare or quoted.
    Name(Cow<'a, str>),
    /// `not`, `!`, `~`, `¬`.
    Not,
    /// `,`, `&`, `and`.
    And,
    /// `->`, `→`: body before head.
    Arrow,
    /// `:-`: head before body.
    If,
    /// `|`, `;`, or `or` between two names.
    Or,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// The full stop that ends a rule.
    Stop,
    /// Something that is not a word of the language.
    Bad(SyntaxProblem),
}

/// The tokens of a line, up to its comment.
pub(super) fn lex(line: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity(8);
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let (kind, length) = match c {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '#' | '%' => break,
            ',' => (Kind::And, 1),
            '&' => (Kind::And, if rest.starts_with("&&") { 2 } else { 1 }),
            '!' | '~' | '¬' => (Kind::Not, c.len_utf8()),
            '→' => (Kind::Arrow, c.len_utf8()),
            '"' => quoted(rest),
            '|' => (Kind::Or, if rest.starts_with("||") { 2 } else { 1 }),
            ';' => (Kind::Or, 1),
            '(' => (Kind::Open, 1),
            ')' => (Kind::Close, 1),
            _ if rest.starts_with("->") => (Kind::Arrow, 2),
            _ if rest.starts_with(":-") => (Kind::If, 2),
            '.' if ends_rule(&rest[1..]) => (Kind::Stop, 1),
            _ => match (tokens.last(), long_arrow(rest)) {
                (Some(Token { kind: Kind::Name(_), .. }), Some(length)) => {
                    (Kind::Bad(SyntaxProblem::WrongArrow(rest[..length].into())), length)
                }
                _ => bare(rest),
            },
        };
        tokens.push(Token { kind, start: at, end: at + length });
        at += length;
    }
    read_capitals(line, &mut tokens);
    tokens
}

/// The length of an arrow with too many dashes at the start of `rest`: `-->`.
fn long_arrow(rest: &str) -> Option<usize> {
    let dashes = rest.bytes().take_while(|byte| *byte == b'-').count();
    (dashes > 1 && rest[dashes..].starts_with('>')).then_some(dashes + 1)
}

/// Reads `NOT`, `AND` and `OR`, in any case, as the words they are where a name could not be: a class
/// may still have such a name.
fn read_capitals(line: &str, tokens: &mut [Token<'_>]) {
    for at in 0..tokens.len() {
        let word = &line[tokens[at].start..tokens[at].end];
        let next = tokens.get(at + 1).map(|token| &token.kind);
        if matches!(next, Some(Kind::Open)) && word.eq_ignore_ascii_case("not") {
            tokens[at].kind = Kind::Not;
            continue;
        }
        if !matches!(next, Some(Kind::Name(_) | Kind::Not)) {
            continue;
        }
        let after_name = at > 0 && matches!(tokens[at - 1].kind, Kind::Name(_));
        if word.eq_ignore_ascii_case("not") {
            tokens[at].kind = Kind::Not;
        } else if word.eq_ignore_ascii_case("and") && after_name {
            tokens[at].kind = Kind::And;
        } else if word.eq_ignore_ascii_case("or") && after_name {
            tokens[at].kind = Kind::Or;
        }
    }
}

/// Whether a full stop before `rest` ends a rule: dots inside names, as in
/// `01.01.03`, do not.
fn ends_rule(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| c.is_whitespace() || c == '#' || c == '%')
}

/// A bare word at the start of `rest`, with its length in bytes.
fn bare(rest: &str) -> (Kind<'_>, usize) {
    let mut end = rest.len();
    for (at, c) in rest.char_indices() {
        let tail = &rest[at..];
        if c.is_whitespace()
            || matches!(c, ',' | '&' | '"' | '|' | ';' | '(' | ')' | '→')
            || tail.starts_with("->")
            || tail.starts_with(":-")
            || (c == '.' && ends_rule(&tail[1..]))
        {
            end = at;
            break;
        }
        if matches!(c, '#' | '%') {
            return (Kind::Bad(SyntaxProblem::CommentInName(c)), rest.len());
        }
    }
    let word = &rest[..end];
    match word {
        "not" => return (Kind::Not, end),
        "and" => return (Kind::And, end),
        "<" if rest[end..].starts_with("->") => {
            return (Kind::Bad(SyntaxProblem::WrongArrow("<->".into())), end + 2);
        }
        _ => {}
    }
    if let Some(arrow) = ["<=>", "=>", "<-", "<="].into_iter().find(|arrow| word.contains(arrow)) {
        return (Kind::Bad(SyntaxProblem::WrongArrow(arrow.into())), end);
    }
    (Kind::Name(Cow::Borrowed(word)), end)
}

/// A quoted name at the start of `rest`, with its length in bytes. After a mistake there is
/// nothing more to read on the line.
fn quoted(rest: &str) -> (Kind<'_>, usize) {
    match read_quoted(rest) {
        Ok((name, length)) if name.is_empty() => (Kind::Bad(SyntaxProblem::EmptyName), length),
        Ok((name, length)) => (Kind::Name(name), length),
        Err(QuoteError::Open) => (Kind::Bad(SyntaxProblem::OpenQuote), rest.len()),
        Err(QuoteError::Escape(c)) => (Kind::Bad(SyntaxProblem::BadEscape(c)), rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<Kind<'_>> {
        lex(line).into_iter().map(|token| token.kind).collect()
    }

    fn name(name: &str) -> Kind<'_> {
        Kind::Name(name.into())
    }

    #[test]
    fn spellings_of_one_rule_give_the_same_words() {
        let expected = vec![name("a"), Kind::And, Kind::Not, name("b"), Kind::Arrow, name("c")];
        for line in [
            "a, not b -> c",
            "a&!b->c",
            "a and ~b → c # why",
            "a,¬b→c",
            "  a && ! b   ->\tc  % why",
            "\"a\", not \"b\" -> \"c\"",
        ] {
            assert_eq!(kinds(line), expected, "{line}");
        }
    }

    #[test]
    fn capitals_are_words_where_no_name_could_be() {
        let expected = vec![name("a"), Kind::And, Kind::Not, name("b"), Kind::Arrow, name("c")];
        for line in ["a AND NOT b -> c", "a And Not b -> c", "a, NOT b -> c", "a AND not b -> c"] {
            assert_eq!(kinds(line), expected, "{line}");
        }
        assert_eq!(kinds("NOT -> AND"), [name("NOT"), Kind::Arrow, name("AND")]);
        assert_eq!(kinds("AND, NOT -> x")[..3], [name("AND"), Kind::And, name("NOT")]);
        assert_eq!(kinds("\"NOT\" -> x")[0], name("NOT"));
    }

    #[test]
    fn long_arrows_are_explained() {
        for (line, arrow) in [("a --> b", "-->"), ("a ---> b", "--->")] {
            assert_eq!(kinds(line)[1], Kind::Bad(SyntaxProblem::WrongArrow(arrow.into())));
        }
        assert_eq!(kinds("a-->b")[..2], [name("a-"), Kind::Arrow]);
    }

    #[test]
    fn dots_and_dashes_stay_inside_names() {
        assert_eq!(
            kinds("01.01.03 -> 01.01."),
            [name("01.01.03"), Kind::Arrow, name("01.01"), Kind::Stop]
        );
        assert_eq!(
            kinds("GO:0008150:-t-cell."),
            [name("GO:0008150"), Kind::If, name("t-cell"), Kind::Stop]
        );
        assert_eq!(kinds("notable.# c"), [name("notable"), Kind::Stop]);
    }

    #[test]
    fn quotes_and_escapes() {
        assert_eq!(kinds(r#""x, \"y\" \\ #z""#), [name(r#"x, "y" \ #z"#)]);
        assert_eq!(kinds("\"open"), [Kind::Bad(SyntaxProblem::OpenQuote)]);
        assert_eq!(kinds("\"open\\"), [Kind::Bad(SyntaxProblem::OpenQuote)]);
        assert_eq!(kinds(r#""\q""#), [Kind::Bad(SyntaxProblem::BadEscape('q'))]);
        assert_eq!(kinds("\"\""), [Kind::Bad(SyntaxProblem::EmptyName)]);
    }

    #[test]
    fn words_of_other_languages_are_named() {
        assert_eq!(kinds("=>"), [Kind::Bad(SyntaxProblem::WrongArrow("=>".into()))]);
        assert_eq!(kinds("a <-> b")[1], Kind::Bad(SyntaxProblem::WrongArrow("<->".into())));
        assert_eq!(kinds("a | b"), [name("a"), Kind::Or, name("b")]);
        assert_eq!(kinds("a or not b")[1..3], [Kind::Or, Kind::Not]);
        assert_eq!(kinds("a, or -> b")[2], name("or"));
        assert_eq!(kinds("NOT (a)")[..2], [Kind::Not, Kind::Open]);
        assert_eq!(kinds("C# -> x"), [Kind::Bad(SyntaxProblem::CommentInName('#'))]);
    }
}
