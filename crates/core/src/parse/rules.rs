//! The dialect `rules`: `a, not b -> c`, or `c :- a, not b.`

use super::claim::{self, Claimed};
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
        // Logic programs spread a rule over lines, and so do groups. Only there: after
        // `->`, a comma at the end of a line is a slip, and the next line another rule.
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
    let last = from_the_end.peek().copied();
    let (mut has_if, mut open) = (false, 0i64);
    for kind in from_the_end {
        has_if |= *kind == Kind::If;
        open += i64::from(*kind == Kind::Open) - i64::from(*kind == Kind::Close);
    }
    match last {
        Some(Kind::And) => has_if || open > 0,
        Some(Kind::If) => true,
        Some(Kind::Open) => open > 0,
        _ => false,
    }
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
    for word in words {
        if let Kind::Bad(problem) = &word.token.kind {
            return Err((word.span(), problem.clone()));
        }
    }
    for (at, word) in words.iter().enumerate() {
        if !is_constant(word) || draft.is_listed(word.text()) {
            continue;
        }
        // Only what must not hold has a constant: `a, b -> false`, or `false :- a, b.`
        let kind = |at: usize| words.get(at).map(|word| &word.token.kind);
        let is_whole_head = (at + 1 == words.len() && at > 0 && kind(at - 1) == Some(&Kind::Arrow))
            || (at == 0 && kind(1) == Some(&Kind::If));
        if !is_falsehood(word) || !is_whole_head {
            return Err((word.span(), SyntaxProblem::Constant(word.text().to_owned())));
        }
    }
    if first.text() == "prefer"
        && matches!(words.get(1), Some(Word { token: Token { kind: Kind::Name(_), .. }, .. }))
    {
        return read_preferences(&words[1..], draft);
    }
    let is_arrow = |word: &Word<'_>| matches!(word.token.kind, Kind::Arrow | Kind::If);
    let Some(arrow) = words.iter().position(is_arrow) else {
        if let ([_], Kind::Name(name), Some(_)) = (words, &first.token.kind, stop) {
            // `head.` is a fact; `head` without the full stop could be anything.
            let span = first.span();
            if let Some(head) = draft.label(name, || span) {
                draft.rule(head, Vec::new(), span);
            }
            return Ok(());
        }
        if !words.iter().any(|word| matches!(word.token.kind, Kind::Or | Kind::Open | Kind::Close))
        {
            if let ([_, name], Kind::Not, Kind::Name(_)) =
                (words, &first.token.kind, &words[words.len() - 1].token.kind)
            {
                let problem = SyntaxProblem::NegatedFact(name.text().to_owned());
                return Err((whole_span(words), problem));
            }
            return Err((whole_span(words), SyntaxProblem::NoArrow));
        }
        let claimed = claim::read(words)?;
        if let Some(members) = literals(claimed.words(), draft) {
            draft.requirement(claimed.requirement(Vec::new(), members), whole_span(words));
        }
        return Ok(());
    };
    if let Some(second) = words[arrow + 1..].iter().find(|word| is_arrow(word)) {
        return Err((second.span(), SyntaxProblem::SecondArrow));
    }
    let (left, right) = (&words[..arrow], &words[arrow + 1..]);
    let (head, body) = match words[arrow].token.kind {
        Kind::If => (left, right),
        _ => (right, left),
    };
    claim::check_body(body)?;
    let claimed = match head {
        // `:- a, b.` forbids; `a ->` is a slip.
        [] if words[arrow].token.kind == Kind::If && !body.is_empty() => Claimed::Never,
        [] => return Err((words[arrow].span(), SyntaxProblem::NoHead)),
        [word] if is_falsehood(word) && !draft.is_listed(word.text()) => Claimed::Never,
        _ => claim::read(head)?,
    };
    // Labels are numbered in the order in which they occur in the text.
    let mut sides = [None, None];
    for (at, side) in [left, right].into_iter().enumerate() {
        sides[at] = match std::ptr::eq(side, head) {
            true => literals(claimed.words(), draft),
            false => literals(side, draft),
        };
    }
    let [left, right] = sides;
    let (head, body) =
        if words[arrow].token.kind == Kind::If { (left, right) } else { (right, left) };
    if let (Some(head), Some(body)) = (head, body) {
        match (claimed, &head[..]) {
            (Claimed::Head(_), [head]) => draft.rule(head.label(), body, whole_span(words)),
            (claimed, _) => draft.requirement(claimed.requirement(body, head), whole_span(words)),
        }
    }
    Ok(())
}

/// A constant where a class is expected; in quotes it is a name.
fn is_constant(word: &Word<'_>) -> bool {
    is_falsehood(word) || matches!(word.text(), "true" | "True" | "TRUE" | "⊤")
}

fn is_falsehood(word: &Word<'_>) -> bool {
    matches!(word.text(), "false" | "False" | "FALSE" | "⊥")
}

/// Reads `prefer a, b`, without its first word.
fn read_preferences(words: &[Word<'_>], draft: &mut Draft) -> Result<(), Mistake> {
    claim::check_body(words)?;
    if let Some(not) = words.iter().find(|word| word.token.kind == Kind::Not) {
        return Err((not.span(), SyntaxProblem::NegatedPreference));
    }
    for word in words {
        if let Kind::Name(name) = &word.token.kind
            && let Some(label) = draft.label(name, || word.span())
            && !draft.prefer(label, word.span())
        {
            return Err((word.span(), SyntaxProblem::PreferredTwice(name.to_string())));
        }
    }
    Ok(())
}

/// The literals among these words; `None` if a name is not in the label list, which is recorded.
fn literals(words: &[Word<'_>], draft: &mut Draft) -> Option<Vec<Literal>> {
    let mut literals = Vec::with_capacity(words.len() / 2 + 1);
    let mut negated = false;
    let mut complete = true;
    for word in words {
        match &word.token.kind {
            Kind::Not => negated = true,
            Kind::Name(name) => {
                let label = draft.label(name, || word.span());
                let negated = std::mem::take(&mut negated);
                match label {
                    Some(label) => literals.push(literal(label, negated)),
                    None => complete = false,
                }
            }
            _ => {}
        }
    }
    complete.then_some(literals)
}

fn literal(label: LabelId, negated: bool) -> Literal {
    if negated { Literal::negative(label) } else { Literal::positive(label) }
}

/// From the first word to the last one on the same line.
pub(super) fn whole_span(words: &[Word<'_>]) -> Span {
    let (first, last) = (&words[0], &words[words.len() - 1]);
    let end = if last.line == first.line { last.token.end } else { first.text.trim_end().len() };
    Span::within(first.line, first.text, first.token.start, end.max(first.token.end))
}
