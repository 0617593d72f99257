//! The dialect `rules`: `a, not b -> c`, or `c :- a, not b.`

use super::alternatives;
use super::draft::Draft;
use super::error::SyntaxProblem;
use super::lexer::{Kind, Token, lex};
use crate::label::LabelId;
use crate::rule::Literal;
use crate::span::Span;

/// A token that knows its line.
pub(super) struct Word<'a> {
    pub token: Token<'a>,
    line: u32,
    text: &'a str,
}

impl Word<'_> {
    pub fn span(&self) -> Span {
        Span::within(self.line, self.text, self.token.start, self.token.end)
    }

    pub fn text(&self) -> &str {
        &self.text[self.token.start..self.token.end]
    }
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    let mut words: Vec<Word<'_>> = Vec::new();
    for (number, text) in text.lines().enumerate() {
        let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let before = words.len();
        words.extend(lex(text).into_iter().map(|token| Word { token, line, text }));
        // Logic programs spread a rule over lines. Only there: after `->`, a
        // comma at the end of a line is a slip, and the next line another rule.
        if words.len() > before && continues(words.iter().map(|word| &word.token.kind)) {
            continue;
        }
        read_statements(&words, draft);
        words.clear();
    }
    read_statements(&words, draft);
}

/// Whether the rule at the end of these words goes on in the next line.
pub(super) fn continues<'k, 'a: 'k>(kinds: impl DoubleEndedIterator<Item = &'k Kind<'a>>) -> bool {
    let mut from_the_end = kinds.rev().take_while(|kind| **kind != Kind::Stop).peekable();
    matches!(from_the_end.peek(), Some(Kind::And | Kind::If))
        && from_the_end.any(|kind| *kind == Kind::If)
}

fn read_statements(words: &[Word<'_>], draft: &mut Draft) {
    let mut rest = words;
    while !rest.is_empty() {
        let stop = rest.iter().position(|word| word.token.kind == Kind::Stop);
        let statement = &rest[..stop.unwrap_or(rest.len())];
        let whole = stop.map_or(statement, |stop| &rest[..=stop]);
        if let Err((span, problem)) = read_rule(statement, stop.map(|stop| &rest[stop]), draft) {
            draft.problem(span, problem);
        }
        rest = &rest[whole.len()..];
    }
}

pub(super) type Mistake = (Span, SyntaxProblem);

/// Reads one rule. Names that are not in the label list are recorded in the
/// draft; the first syntax error is returned.
fn read_rule(
    words: &[Word<'_>],
    stop: Option<&Word<'_>>,
    draft: &mut Draft,
) -> Result<(), Mistake> {
    let Some(first) = words.first() else {
        // Nothing but a full stop.
        return stop
            .map_or(Ok(()), |stop| Err((stop.span(), SyntaxProblem::Unexpected(".".into()))));
    };
    if let Some(mistake) = alternatives::find(words, stop.is_some()) {
        return Err(mistake);
    }
    for word in words {
        if let Kind::Bad(problem) = &word.token.kind {
            return Err((word.span(), problem.clone()));
        }
    }
    let is_arrow = |word: &Word<'_>| matches!(word.token.kind, Kind::Arrow | Kind::If);
    let Some(arrow) = words.iter().position(is_arrow) else {
        return match (words, &first.token.kind) {
            // `head.` is a fact; `head` without the full stop could be anything.
            ([_], Kind::Name(name)) if stop.is_some() => {
                let span = first.span();
                if let Some(head) = draft.label(name, || span) {
                    draft.rule(head, Vec::new(), span);
                }
                Ok(())
            }
            _ => Err((whole_span(words), SyntaxProblem::NoArrow)),
        };
    };
    if let Some(second) = words[arrow + 1..].iter().find(|word| is_arrow(word)) {
        return Err((second.span(), SyntaxProblem::SecondArrow));
    }
    let (left, right) = (&words[..arrow], &words[arrow + 1..]);
    let (head, body) = match words[arrow].token.kind {
        Kind::If => (left, right),
        _ => (right, left),
    };
    check_conjunction(body)?;
    check_head(head, &words[arrow])?;
    if let [word] = head
        && matches!(word.text(), "false" | "False" | "FALSE" | "⊥")
        && !draft.is_listed(word.text())
    {
        return Err((word.span(), SyntaxProblem::FalseHead(word.text().to_owned())));
    }

    // Labels are numbered in the order in which they occur in the text.
    let mut body_literals = Vec::with_capacity(body.len() / 2 + 1);
    let mut head_label = None;
    let mut complete = true;
    for side in [left, right] {
        let is_head = std::ptr::eq(side, head);
        let mut negated = false;
        for word in side {
            match &word.token.kind {
                Kind::Not => negated = true,
                Kind::Name(name) => match draft.label(name, || word.span()) {
                    Some(label) if is_head => head_label = Some(label),
                    Some(label) => body_literals.push(literal(label, std::mem::take(&mut negated))),
                    None => {
                        negated = false;
                        complete = false;
                    }
                },
                _ => {}
            }
        }
    }
    if let (Some(head), true) = (head_label, complete) {
        draft.rule(head, body_literals, whole_span(words));
    }
    Ok(())
}

fn literal(label: LabelId, negated: bool) -> Literal {
    if negated { Literal::negative(label) } else { Literal::positive(label) }
}

/// A conjunction is `[not] name` any number of times, separated by `,`.
fn check_conjunction(words: &[Word<'_>]) -> Result<(), Mistake> {
    let mut previous: Option<&Word<'_>> = None;
    for word in words {
        let before = previous.map(|word| &word.token.kind);
        match (&word.token.kind, before) {
            (Kind::Name(_) | Kind::Not, Some(Kind::Name(_))) => {
                return Err((word.span(), SyntaxProblem::NoComma(word.text().to_owned())));
            }
            (Kind::Not, Some(Kind::Not)) => {
                return Err((word.span(), SyntaxProblem::NoName("after the negation")));
            }
            (Kind::And, None | Some(Kind::And)) => {
                return Err((word.span(), SyntaxProblem::NoName("before this")));
            }
            (Kind::And, Some(Kind::Not)) => {
                return Err((word.span(), SyntaxProblem::NoName("after the negation")));
            }
            _ => {}
        }
        previous = Some(word);
    }
    match previous {
        Some(last) if last.token.kind == Kind::And => {
            Err((last.span(), SyntaxProblem::NoName("after this")))
        }
        Some(last) if last.token.kind == Kind::Not => {
            Err((last.span(), SyntaxProblem::NoName("after the negation")))
        }
        _ => Ok(()),
    }
}

/// A head is one name.
fn check_head(words: &[Word<'_>], arrow: &Word<'_>) -> Result<(), Mistake> {
    let Some(first) = words.first() else {
        return Err((arrow.span(), SyntaxProblem::NoHead));
    };
    check_conjunction(words)?;
    if first.token.kind == Kind::Not {
        return Err((whole_span(words), SyntaxProblem::NegatedHead));
    }
    if words.len() > 1 {
        return Err((whole_span(words), SyntaxProblem::SeveralHeads));
    }
    Ok(())
}

/// From the first word to the last one on the same line.
fn whole_span(words: &[Word<'_>]) -> Span {
    let (first, last) = (&words[0], &words[words.len() - 1]);
    let end = if last.line == first.line { last.token.end } else { first.text.trim_end().len() };
    Span::within(first.line, first.text, first.token.start, end.max(first.token.end))
}
