//! Rules, requirements and repeated literals taken out of a text; everything else stays as it was written.
//!
//! Invariant: what is left between the removed words is untouched, comments included; a line that is
//! left empty is removed with its line end.

use super::dialect::Dialect;
use super::lexer::{Kind, Token, lex};
use crate::span::Span;
use std::collections::HashMap;
use std::ops::Range;

/// One rule in a text: where its words are, in bytes of the text.
struct Statement {
    /// The line and column of its first word, from 1.
    start: (u32, u32),
    /// From the first word to the last on each of its lines.
    lines: Vec<Range<usize>>,
    /// Literals that repeat an earlier one of the body, with the conjunction before them.
    repeated: Vec<Range<usize>>,
}

/// What becomes of a rule or requirement that begins at a place of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It goes.
    Dropped,
    /// It stays, without repeated literals.
    Shortened,
    /// It stays as it is.
    Kept,
}

/// The text without the rules and requirements that are dropped, and without repeated literals. `fates` has
/// the place of each; the text must have no mistakes.
pub(crate) fn remove(
    text: &str,
    dialect: Dialect,
    fates: impl Iterator<Item = (Span, Fate)>,
) -> String {
    let mut removed: Vec<Range<usize>> = Vec::new();
    match dialect {
        Dialect::Rules | Dialect::Dimacs => {
            let start = |span: Span| (span.line, span.column);
            // Where several begin at one place, it goes only with all of them.
            let mut of_places: HashMap<(u32, u32), Fate> = HashMap::new();
            for (span, fate) in fates {
                let before = of_places.entry(start(span)).or_insert(fate);
                if *before != fate {
                    *before = Fate::Kept;
                }
            }
            let is_dimacs = dialect == Dialect::Dimacs;
            let statements = if is_dimacs { clauses(text) } else { statements(text) };
            let mut dropped = 0;
            for statement in statements {
                match of_places.get(&statement.start) {
                    Some(Fate::Dropped) => {
                        dropped += 1;
                        removed.extend(statement.lines);
                    }
                    Some(Fate::Shortened) => removed.extend(statement.repeated),
                    Some(Fate::Kept) | None => {}
                }
            }
            if is_dimacs && dropped > 0 {
                removed.sort_by_key(|range| range.start);
                return fewer_clauses(&without(text, &removed), dropped);
            }
        }
        // One rule or requirement per line.
        Dialect::Ccn | Dialect::Edges | Dialect::PiShield => {
            let lines: Vec<Range<usize>> = lines(text).collect();
            let dropped = fates.filter(|(_, fate)| *fate == Fate::Dropped);
            removed.extend(
                dropped.filter_map(|(span, _)| {
                    lines.get((span.line as usize).checked_sub(1)?).cloned()
                }),
            );
        }
    }
    removed.sort_by_key(|range| range.start);
    without(text, &removed)
}

/// The lines of a text without their ends, in bytes. A byte-order mark belongs to no line.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    text[start..].split_inclusive('\n').scan(start, |at, line| {
        let from = *at;
        *at += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some(from..from + line.strip_suffix('\r').unwrap_or(line).len())
    })
}

/// The clauses of a text in the dialect `dimacs`.
fn clauses(text: &str) -> Vec<Statement> {
    let mut clauses: Vec<Statement> = Vec::new();
    let mut open = false;
    for (number, place) in lines(text).enumerate() {
        let line = &text[place.clone()];
        let is_comment = line == "c" || line.starts_with("c ");
        if is_comment || line.trim_start().starts_with('p') || line.trim() == "%" {
            continue;
        }
        for word in line.split_whitespace() {
            let from = word.as_ptr() as usize - line.as_ptr() as usize;
            let range = place.start + from..place.start + from + word.len();
            if !std::mem::replace(&mut open, word != "0") {
                let column = line[..from].chars().count() as u32 + 1;
                let start = (number as u32 + 1, column);
                clauses.push(Statement { start, lines: Vec::new(), repeated: Vec::new() });
            }
            let Some(clause) = clauses.last_mut() else { continue };
            match clause.lines.last_mut() {
                Some(last) if last.end > place.start => last.end = range.end,
                _ => clause.lines.push(range),
            }
        }
    }
    clauses
}

/// The text with so many clauses fewer in its header.
fn fewer_clauses(text: &str, fewer: usize) -> String {
    let Some(header) = lines(text).find(|place| text[place.clone()].trim_start().starts_with("p "))
    else {
        return text.to_owned();
    };
    let line = &text[header.clone()];
    let Some(word) = line.split_whitespace().nth(3) else { return text.to_owned() };
    let Ok(count) = word.parse::<usize>() else { return text.to_owned() };
    let from = header.start + (word.as_ptr() as usize - line.as_ptr() as usize);
    let count = count.saturating_sub(fewer);
    format!("{}{count}{}", &text[..from], &text[from + word.len()..])
}

/// A word with its place in the text.
struct Word<'a> {
    token: Token<'a>,
    line: usize,
    range: Range<usize>,
}

/// The rules of a text in the dialect `rules`, in the order in which they are read.
fn statements(text: &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut words: Vec<Word<'_>> = Vec::new();
    for (line, place) in lines(text).enumerate() {
        let before = words.len();
        words.extend(lex(&text[place.clone()]).into_iter().map(|token| {
            let range = place.start + token.start..place.start + token.end;
            Word { token, line, range }
        }));
        let kinds = words.iter().map(|word| &word.token.kind);
        if words.len() > before && super::rules::continues(kinds) {
            continue;
        }
        split(text, &words, &mut statements);
        words.clear();
    }
    split(text, &words, &mut statements);
    statements
}

/// Splits the words of one or more whole lines at full stops.
fn split(text: &str, words: &[Word<'_>], statements: &mut Vec<Statement>) {
    let is_stop = |word: &Word<'_>| word.token.kind == Kind::Stop;
    for words in words.split_inclusive(is_stop).filter(|words| !words.is_empty()) {
        let mut lines: Vec<Range<usize>> = Vec::new();
        let by_line = words.chunk_by(|one, next| one.line == next.line);
        for words in by_line {
            lines.push(words[0].range.start..words[words.len() - 1].range.end);
        }
        let first = &words[0];
        let before = first.range.start - first.token.start..first.range.start;
        let column = text[before].chars().count() as u32 + 1;
        let start = (first.line as u32 + 1, column);
        statements.push(Statement { start, lines, repeated: repeated(words) });
    }
}

/// The literals of the body that occurred in it before.
fn repeated(words: &[Word<'_>]) -> Vec<Range<usize>> {
    let arrow = words.iter().position(|word| matches!(word.token.kind, Kind::Arrow | Kind::If));
    let Some(arrow) = arrow else { return Vec::new() };
    let body = match words[arrow].token.kind {
        Kind::If => &words[arrow + 1..],
        _ => &words[..arrow],
    };
    let mut seen: Vec<(bool, &str)> = Vec::new();
    let mut repeated = Vec::new();
    for (at, word) in body.iter().enumerate() {
        let Kind::Name(name) = &word.token.kind else { continue };
        let negated = at > 0 && body[at - 1].token.kind == Kind::Not;
        if !seen.contains(&(negated, &**name)) {
            seen.push((negated, name));
            continue;
        }
        // The conjunction, the negation and the name, word by word: they may be on two lines.
        let first = at - usize::from(negated);
        let from = first.saturating_sub(1);
        let group = &body[from..=at];
        for words in group.chunk_by(|one, next| one.line == next.line) {
            repeated.push(words[0].range.start..words[words.len() - 1].range.end);
        }
    }
    repeated
}

/// The text without the given places.
fn without(text: &str, removed: &[Range<usize>]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut removed = removed.iter().peekable();
    let mut written = 0;
    for place in lines(text) {
        let end = text[place.end..].find('\n').map_or(text.len(), |at| place.end + at + 1);
        left.push_str(&text[written..place.start]);
        let mut kept = String::new();
        let mut at = place.start;
        let is_touched = removed.peek().is_some_and(|range| range.start < place.end);
        while let Some(range) = removed.next_if(|range| range.start < place.end) {
            join(&mut kept, &text[at..range.start], at > place.start);
            at = range.end;
        }
        join(&mut kept, &text[at..place.end], is_touched);
        if !is_touched || !kept.trim().is_empty() {
            left.push_str(&kept);
            left.push_str(&text[place.end..end]);
        }
        written = end;
    }
    left.push_str(&text[written..]);
    left
}

/// Adds the next part of a line; the space on both sides of a gap is written once.
fn join(kept: &mut String, part: &str, after_gap: bool) {
    let has_space = kept.is_empty() || kept.ends_with(char::is_whitespace);
    kept.push_str(if after_gap && has_space { part.trim_start() } else { part });
}
