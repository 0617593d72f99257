//! Disjunctions, which the language does not have: `a | b -> c` has a translation into rules, but
//! `a -> b | c` has none, and the advice for the one is wrong for the other.

use super::error::SyntaxProblem;
use super::lexer::Kind;
use super::rules::{Mistake, Word};

/// The first disjunction of a rule, if there is one: `|`, `;`, or an `or` between two names.
/// `stopped` says whether the rule ends with a full stop, as the facts of logic programs do.
pub(super) fn find(words: &[Word<'_>], stopped: bool) -> Option<Mistake> {
    let at = (0..words.len()).find(|&at| is_disjunction(words, at))?;
    let word = words[at].text().to_owned();
    let arrow = words.iter().position(|word| matches!(word.token.kind, Kind::Arrow | Kind::If));
    let (head, body) = match arrow {
        Some(arrow) if words[arrow].token.kind == Kind::If => {
            (&words[..arrow], &words[arrow + 1..])
        }
        Some(arrow) => (&words[arrow + 1..], &words[..arrow]),
        None if stopped => (words, &words[..0]),
        None => return Some((words[at].span(), SyntaxProblem::Disjunction(word))),
    };
    let in_head = head.iter().any(|other| std::ptr::eq(other, &words[at]));
    let problem = match in_head {
        true => SyntaxProblem::Alternatives { word, instead: instead(head, body) },
        false => SyntaxProblem::Disjunction(word),
    };
    Some((words[at].span(), problem))
}

fn is_name(word: &Word<'_>) -> bool {
    matches!(word.token.kind, Kind::Name(_))
}

fn is_disjunction(words: &[Word<'_>], at: usize) -> bool {
    let beside = |at: Option<usize>| at.and_then(|at| words.get(at));
    match &words[at].token.kind {
        Kind::Bad(SyntaxProblem::Disjunction(_)) => true,
        // A class may be called `or`; where it stands between two names it is none.
        Kind::Name(_) if matches!(words[at].text(), "or" | "OR" | "Or") => {
            let after = beside(Some(at + 1));
            beside(at.checked_sub(1)).is_some_and(is_name)
                && after.is_some_and(|word| is_name(word) || word.token.kind == Kind::Not)
        }
        _ => false,
    }
}

/// The rule that derives the last alternative where no other holds. Its words are those of the
/// text; none if the head is more than alternatives.
fn instead(head: &[Word<'_>], body: &[Word<'_>]) -> Option<String> {
    let mut names = Vec::new();
    for (at, word) in head.iter().enumerate() {
        match at % 2 == 0 {
            true if is_name(word) => names.push(word.text()),
            false if is_disjunction(head, at) => {}
            _ => return None,
        }
    }
    let last = names.pop().filter(|_| head.len() % 2 == 1)?;
    let mut rule = String::new();
    for word in body {
        match &word.token.kind {
            Kind::Name(_) => rule.push_str(word.text()),
            Kind::Not => rule.push_str("not "),
            Kind::And => rule.push_str(", "),
            _ => return None,
        }
    }
    for name in names {
        let comma = if rule.is_empty() { "" } else { ", " };
        rule.push_str(&format!("{comma}not {name}"));
    }
    Some(format!("{rule} -> {last}"))
}
