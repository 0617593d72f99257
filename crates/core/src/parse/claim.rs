//! The side of a rule or requirement that is derived or required: one class, alternatives, a group, or
//! what must not hold together.

use super::error::SyntaxProblem;
use super::lexer::Kind;
use super::rules::{Mistake, Word, whole_span};
use crate::requirement::Requirement;
use crate::rule::Literal;

/// What is claimed, with the words of its literals.
pub(super) enum Claimed<'w, 'a> {
    /// A class that is not negated: the head of a rule, if there is an arrow.
    Head(&'w [Word<'a>]),
    /// At least one of these.
    Any(&'w [Word<'a>]),
    /// Not all of these.
    NotAll(&'w [Word<'a>]),
    /// So many of these.
    Group { least: u32, most: u32, members: &'w [Word<'a>] },
    /// Nothing: what comes before the arrow must not hold.
    Never,
}

impl<'w, 'a> Claimed<'w, 'a> {
    /// The words of its literals.
    pub fn words(&self) -> &'w [Word<'a>] {
        match self {
            Self::Head(words) | Self::Any(words) | Self::NotAll(words) => words,
            Self::Group { members, .. } => members,
            Self::Never => &[],
        }
    }

    /// The requirement of these literals under a guard.
    pub fn requirement(&self, guard: Vec<Literal>, literals: Vec<Literal>) -> Requirement {
        match self {
            Self::Head(_) | Self::Any(_) => Requirement::any(guard, literals),
            Self::NotAll(_) => Requirement::any(guard.into_iter().chain(literals), []),
            Self::Group { least, most, .. } => Requirement::count(guard, *least, *most, literals),
            Self::Never => Requirement::any(guard, []),
        }
    }
}

/// Reads a claim; there is at least one word.
pub(super) fn read<'w, 'a>(words: &'w [Word<'a>]) -> Result<Claimed<'w, 'a>, Mistake> {
    if let Some(open) = words.iter().position(|word| word.token.kind == Kind::Open) {
        let (before, inside) = (&words[..open], inside(&words[open..])?);
        if let [not] = before
            && not.token.kind == Kind::Not
        {
            check_list(inside, &words[open])?;
            return Ok(Claimed::NotAll(inside));
        }
        let (least, most) = bounds(before, &words[open])?;
        check_list(inside, &words[open])?;
        check_distinct(inside)?;
        let size = inside.iter().filter(|word| matches!(word.token.kind, Kind::Name(_))).count();
        if least as usize > size {
            let members = size;
            return Err((whole_span(before), SyntaxProblem::TooManyRequired { least, members }));
        }
        return Ok(Claimed::Group { least, most, members: inside });
    }
    if let Some(close) = words.iter().find(|word| word.token.kind == Kind::Close) {
        return Err((close.span(), SyntaxProblem::Unexpected(")".into())));
    }
    if words.iter().any(|word| word.token.kind == Kind::Or) {
        check_separated(words, &Kind::Or)?;
        return Ok(Claimed::Any(words));
    }
    check_separated(words, &Kind::And)?;
    match words {
        [word] if matches!(word.token.kind, Kind::Name(_)) => Ok(Claimed::Head(words)),
        [_, name] if matches!(name.token.kind, Kind::Name(_)) => Ok(Claimed::Any(words)),
        _ => Err((whole_span(words), SyntaxProblem::SeveralHeads)),
    }
}

/// The words between the parenthesis at the start and the one at the end.
fn inside<'w, 'a>(words: &'w [Word<'a>]) -> Result<&'w [Word<'a>], Mistake> {
    let Some(close) = words.iter().position(|word| word.token.kind == Kind::Close) else {
        return Err((words[0].span(), SyntaxProblem::OpenParenthesis));
    };
    if let Some(after) = words.get(close + 1) {
        return Err((after.span(), SyntaxProblem::AfterGroup(after.text().to_owned())));
    }
    let inside = &words[1..close];
    match inside.iter().find(|word| word.token.kind == Kind::Open) {
        Some(open) => Err((open.span(), SyntaxProblem::Unexpected("(".into()))),
        None => Ok(inside),
    }
}

/// The bounds that the words before a parenthesis name.
fn bounds(words: &[Word<'_>], open: &Word<'_>) -> Result<(u32, u32), Mistake> {
    let texts: Vec<String> = words.iter().map(|word| word.text().to_ascii_lowercase()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let count = |at: usize| {
        let text = words[at].text();
        text.parse::<u32>()
            .map_err(|_| (words[at].span(), SyntaxProblem::BadCount(text.to_owned())))
    };
    match texts[..] {
        ["exclusive"] => Ok((0, 1)),
        ["one", "of"] => Ok((1, 1)),
        ["at", "most", _, "of"] => Ok((0, count(2)?)),
        ["at", "least", _, "of"] => Ok((count(2)?, u32::MAX)),
        ["exactly", _, "of"] => count(1).map(|number| (number, number)),
        ["between", _, "and", _, "of"] => {
            let (least, most) = (count(1)?, count(3)?);
            if least > most {
                Err((whole_span(words), SyntaxProblem::ReversedBounds { least, most }))
            } else {
                Ok((least, most))
            }
        }
        [] => Err((open.span(), SyntaxProblem::Unexpected("(".into()))),
        _ => {
            let text = words.iter().map(Word::text).collect::<Vec<_>>().join(" ");
            Err((whole_span(words), SyntaxProblem::UnknownGroup(text)))
        }
    }
}

/// A body is a conjunction without groups and alternatives.
pub(super) fn check_body(words: &[Word<'_>]) -> Result<(), Mistake> {
    for word in words {
        match word.token.kind {
            Kind::Or => {
                let problem = SyntaxProblem::Disjunction(word.text().to_owned());
                return Err((word.span(), problem));
            }
            Kind::Open | Kind::Close => {
                return Err((word.span(), SyntaxProblem::GroupInBody(word.text().to_owned())));
            }
            _ => {}
        }
    }
    check_separated(words, &Kind::And)
}

/// What stands in parentheses is a list of at least one literal.
fn check_list(words: &[Word<'_>], open: &Word<'_>) -> Result<(), Mistake> {
    if words.is_empty() {
        return Err((open.span(), SyntaxProblem::NoName("after this")));
    }
    check_separated(words, &Kind::And)
}

fn check_distinct(words: &[Word<'_>]) -> Result<(), Mistake> {
    let mut seen = std::collections::HashSet::new();
    let mut negated = false;
    for word in words {
        match &word.token.kind {
            Kind::Not => negated = true,
            Kind::Name(name) if !seen.insert((std::mem::take(&mut negated), name)) => {
                return Err((word.span(), SyntaxProblem::RepeatedMember(name.to_string())));
            }
            _ => {}
        }
    }
    Ok(())
}

/// `[not] name` any number of times, separated by `,` or `|`.
fn check_separated(words: &[Word<'_>], separator: &Kind<'_>) -> Result<(), Mistake> {
    let other = |kind: &Kind<'_>| matches!(kind, Kind::And | Kind::Or) && kind != separator;
    if let Some(word) = words.iter().find(|word| other(&word.token.kind)) {
        return Err((word.span(), SyntaxProblem::MixedSeparators(word.text().to_owned())));
    }
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
            (Kind::And | Kind::Or, None | Some(Kind::And | Kind::Or)) => {
                return Err((word.span(), SyntaxProblem::NoName("before this")));
            }
            (Kind::And | Kind::Or, Some(Kind::Not)) => {
                return Err((word.span(), SyntaxProblem::NoName("after the negation")));
            }
            _ => {}
        }
        previous = Some(word);
    }
    match previous {
        Some(last) if matches!(last.token.kind, Kind::And | Kind::Or) => {
            Err((last.span(), SyntaxProblem::NoName("after this")))
        }
        Some(last) if last.token.kind == Kind::Not => {
            Err((last.span(), SyntaxProblem::NoName("after the negation")))
        }
        _ => Ok(()),
    }
}
