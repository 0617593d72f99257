//! The dialect `pishield`: the two ways in which PiShield writes propositional requirements, classes by
//! number from 0. `y_0 or not y_3` is a clause; `n1 :- 0 n2`, with or without a weight before it, is one
//! too: there is no difference between heads and bodies. A first line `ordering y_2 y_0 …`, the order in
//! which PiShield corrects classes, is that of their list where none is given.

use super::dialect::is_blank;
use super::draft::Draft;
use super::error::SyntaxProblem;
use super::rules::Mistake;
use crate::program::Numbering;
use crate::requirement::Requirement;
use crate::rule::Literal;
use crate::span::Span;

/// Whether a line has the form of clauses.
pub(super) fn looks_like(line: &str) -> bool {
    if is_categorical(line) {
        return true;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_class = |word: &str| word.strip_prefix("y_").is_some_and(|n| n.parse::<usize>().is_ok());
    match words[..] {
        ["ordering", class, ..] => is_class(class),
        [class, "or", ..] | ["not", class, "or", ..] => is_class(class),
        _ => false,
    }
}

/// Whether a line is about variables with several values, as in `[1,2]:a_1 or not [0]:s_1`.
fn is_categorical(line: &str) -> bool {
    let is_value = |part: &str| {
        let part = part.trim_start();
        let part = part.strip_prefix("not ").unwrap_or(part).trim_start();
        let inside = part.strip_prefix('[').and_then(|part| part.split_once("]:"));
        inside.is_some_and(|(values, _)| {
            values.split(',').all(|value| value.trim().parse::<usize>().is_ok())
        })
    };
    line.split(" or ").any(is_value)
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    draft.numbering = Some(Numbering { first: 0, classes: None });
    for (number, line) in text.lines().enumerate() {
        let at = u32::try_from(number + 1).unwrap_or(u32::MAX);
        if is_blank(line) {
            continue;
        }
        if let Err((span, problem)) = read_line(at, line, draft) {
            draft.problem(span, problem);
        }
    }
}

fn read_line(line: u32, text: &str, draft: &mut Draft) -> Result<(), Mistake> {
    let place = |word: &str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        Span::within(line, text, start, start + word.len())
    };
    let start = text.len() - text.trim_start().len();
    let whole = Span::within(line, text, start, text.trim_end().len());
    if is_categorical(text) {
        return Err((whole, SyntaxProblem::CategoricalPiShield));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if let ["ordering", classes @ ..] = &words[..] {
        for &word in classes {
            let digits = word.strip_prefix("y_").unwrap_or(word);
            let number = digits
                .parse()
                .map_err(|_| (place(word), SyntaxProblem::BadNumber(word.to_owned())))?;
            draft.numbered(number, || place(word));
        }
        return Ok(());
    }
    // The words of literals, and whether each is negated in the clause.
    let mut literals: Vec<(&str, &str, bool)> = Vec::new();
    if let Some(arrow) = words.iter().position(|&word| word == ":-") {
        let head = match words[..arrow] {
            [head] => head,
            [weight, head] if weight.parse::<f64>().is_ok() => head,
            _ => return Err((whole, SyntaxProblem::NotPiShield)),
        };
        let read = |word: &'_ str| word.strip_prefix('n').map_or(0, |_| 1);
        literals.push((head, &head[read(head)..], read(head) == 1));
        let body = words[arrow + 1..].iter();
        literals.extend(body.map(|&word| (word, &word[read(word)..], read(word) == 0)));
    } else {
        let mut rest = &words[..];
        loop {
            let is_negated = rest.first() == Some(&"not");
            rest = &rest[usize::from(is_negated)..];
            let Some((&word, more)) = rest.split_first() else {
                return Err((whole, SyntaxProblem::NotPiShield));
            };
            let number =
                word.strip_prefix("y_").ok_or((place(word), SyntaxProblem::NotPiShield))?;
            literals.push((word, number, is_negated));
            match more {
                [] => break,
                ["or", more @ ..] => rest = more,
                [other, ..] => return Err((place(other), SyntaxProblem::NotPiShield)),
            }
        }
    }
    let mut clause = Vec::with_capacity(literals.len());
    for &(word, digits, is_negated) in &literals {
        let number = digits
            .parse::<usize>()
            .map_err(|_| (place(word), SyntaxProblem::BadNumber(word.to_owned())))?;
        if let Some(label) = draft.numbered(number, || place(word)) {
            let literal = Literal::positive(label);
            clause.push(if is_negated { !literal } else { literal });
        }
    }
    if clause.len() == literals.len() {
        draft.requirement(Requirement::any([], clause), whole);
    }
    Ok(())
}
