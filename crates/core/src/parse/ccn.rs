//! The dialect `ccn`: `<weight> <head> :- <body>`, classes by number from 0,
//! `n` for negation. A negated head makes the line a requirement. The weight is the support the authors mined; the layer
//! has no use for it.

use super::dialect::is_blank;
use super::draft::Draft;
use super::error::SyntaxProblem;
use crate::program::Numbering;
use crate::requirement::Requirement;
use crate::rule::Literal;
use crate::span::Span;

pub(super) fn read(text: &str, draft: &mut Draft) {
    draft.numbering = Some(Numbering { first: 0, classes: None });
    for (number, line) in text.lines().enumerate() {
        let at = u32::try_from(number + 1).unwrap_or(u32::MAX);
        if is_blank(line) {
            continue;
        }
        if let Err((span, problem)) = read_rule(at, line, draft) {
            draft.problem(span, problem);
        }
    }
}

/// Whether a line has the form of this dialect: a number, a class number, `:-`.
pub(super) fn looks_like(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(|weight| weight.parse::<f64>().is_ok())
        && words
            .next()
            .is_some_and(|head| head.strip_prefix('n').unwrap_or(head).parse::<usize>().is_ok())
        && words.next() == Some(":-")
}

fn read_rule(line: u32, text: &str, draft: &mut Draft) -> Result<(), (Span, SyntaxProblem)> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()).collect();
    let place = |word: &str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        Span::within(line, text, start, start + word.len())
    };
    let whole = || {
        let start = text.len() - text.trim_start().len();
        Span::within(line, text, start, text.trim_end().len())
    };
    let [weight, head, arrow, body @ ..] = words.as_slice() else {
        return Err((whole(), SyntaxProblem::NotCcn));
    };
    if weight.parse::<f64>().is_err() {
        return Err((place(weight), SyntaxProblem::BadWeight((*weight).to_owned())));
    }
    if *arrow != ":-" {
        return Err((place(arrow), SyntaxProblem::NotCcn));
    }
    let number = |word: &str, digits: &str| {
        digits
            .parse::<usize>()
            .map_err(|_| (place(word), SyntaxProblem::BadNumber(word.to_owned())))
    };
    let is_denied = head.starts_with('n');
    let head_number = number(head, head.strip_prefix('n').unwrap_or(head))?;
    let mut literals = Vec::with_capacity(body.len());
    let numbers = body
        .iter()
        .map(|word| {
            let digits = word.strip_prefix('n');
            Ok((*word, digits.is_some(), number(word, digits.unwrap_or(word))?))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let head = draft.numbered(head_number, || place(head));
    for &(word, negated, number) in &numbers {
        if let Some(label) = draft.numbered(number, || place(word)) {
            literals.push(if negated {
                Literal::negative(label)
            } else {
                Literal::positive(label)
            });
        }
    }
    if let (Some(head), true) = (head, literals.len() == numbers.len()) {
        match is_denied {
            true => {
                let denied = [Literal::negative(head)];
                draft.requirement(Requirement::any(literals, denied), whole());
            }
            false => draft.rule(head, literals, whole()),
        }
    }
    Ok(())
}
