//! The dialect `dimacs`: conjunctive normal form as solvers read it. `p cnf <classes> <clauses>`, then
//! class numbers from 1, negative ones negated, each clause ended by 0; lines that start with `c` are
//! comments.

use super::draft::Draft;
use super::error::SyntaxProblem;
use crate::label::LabelId;
use crate::requirement::Requirement;
use crate::rule::Literal;
use crate::span::Span;

/// More classes than this are not named after their numbers.
const MOST: usize = 1_000_000;

/// Whether the first line that is no comment is the header.
pub(super) fn looks_like(text: &str) -> bool {
    let is_comment = |line: &&str| line.trim().is_empty() || *line == "c" || line.starts_with("c ");
    text.lines().find(|line| !is_comment(line)).is_some_and(|line| header(line).is_some())
}

/// The number of classes that a header gives.
fn header(line: &str) -> Option<usize> {
    let mut words = line.split_whitespace();
    (words.next() == Some("p") && words.next() == Some("cnf"))
        .then(|| words.next()?.parse().ok())
        .flatten()
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    let mut most: Option<usize> = None;
    let mut clause: Vec<Literal> = Vec::new();
    let mut start: Option<Span> = None;
    let mut complete = true;
    for (number, line) in text.lines().enumerate() {
        let at = u32::try_from(number + 1).unwrap_or(u32::MAX);
        if line == "c" || line.starts_with("c ") || line.trim().is_empty() {
            continue;
        }
        // Some files end with a line of `%`.
        if line.trim() == "%" {
            break;
        }
        let whole = || {
            let start = line.len() - line.trim_start().len();
            Span::within(at, line, start, line.trim_end().len())
        };
        let Some(most) = most else {
            match header(line) {
                Some(classes) if classes <= MOST => most = Some(begin(classes, draft)),
                Some(number) => {
                    let problem = SyntaxProblem::DimacsOutOfRange { number, most: MOST };
                    return draft.problem(whole(), problem);
                }
                None => return draft.problem(whole(), SyntaxProblem::NoDimacsHeader),
            }
            continue;
        };
        for word in line.split_whitespace() {
            let from = word.as_ptr() as usize - line.as_ptr() as usize;
            let span = Span::within(at, line, from, from + word.len());
            let Ok(literal) = word.parse::<i64>() else {
                draft.problem(span, SyntaxProblem::BadDimacs(word.to_owned()));
                complete = false;
                continue;
            };
            let first = *start.get_or_insert(span);
            if literal == 0 {
                if std::mem::replace(&mut complete, true) {
                    draft.requirement(Requirement::any([], clause.drain(..)), first);
                }
                clause.clear();
                start = None;
                continue;
            }
            let number = usize::try_from(literal.unsigned_abs()).unwrap_or(usize::MAX);
            if number > most {
                draft.problem(span, SyntaxProblem::DimacsOutOfRange { number, most });
                complete = false;
                continue;
            }
            let label = LabelId::new(number - 1);
            clause.push(if literal < 0 {
                Literal::negative(label)
            } else {
                Literal::positive(label)
            });
        }
    }
    // The last clause may lack its 0.
    if let (Some(first), true) = (start, complete) {
        draft.requirement(Requirement::any([], clause), first);
    }
    if most.is_none() && draft.errors.is_empty() {
        draft.problem(Span { line: 1, column: 1, length: 1 }, SyntaxProblem::NoDimacsHeader);
    }
}

/// Names the classes, unless a list does; returns how many may occur.
fn begin(classes: usize, draft: &mut Draft) -> usize {
    if let Some(listed) = draft.listed() {
        return listed;
    }
    for class in 1..=classes {
        draft.label(&class.to_string(), Span::default);
    }
    classes
}
