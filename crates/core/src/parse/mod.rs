//! Text to a validated program.
//!
//! Three dialects, told apart by their looks ([`Dialect::detect`]):
//!
//! | dialect | a line | from |
//! |---|---|---|
//! | `rules` | `abdomen, not upperAbdomen -> lowerAbdomen` | people |
//! | `ccn`   | `0.121 5 :- n2 4` | the authors' rule files |
//! | `edges` | `stomach,gastrointestinalSystem` | hierarchies as tables |
//!
//! Invariant: a reader never stops at the first mistake. It notes it, goes on
//! with the next rule, and all mistakes are returned together, the cycles of
//! the rules that could be read included.

mod ccn;
mod draft;
mod edges;
mod error;
mod lexer;
mod rules;

pub use error::{RuleError, RuleErrors, Span, SyntaxProblem};

use crate::label::Labels;
use crate::program::{NotStratified, Program};
use crate::rule::RuleId;
use draft::Draft;
use std::fmt;
use std::str::FromStr;

/// A way of writing rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// `a, not b -> c` and `c :- a, not b.`
    Rules,
    /// `<weight> <head> :- <body>` with class numbers.
    Ccn,
    /// `child,parent`.
    Edges,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rules, Self::Ccn, Self::Edges];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Ccn => "ccn",
            Self::Edges => "edges",
        }
    }

    /// The dialect a text is written in: `ccn` if its first rule is a weight,
    /// a number and `:-`; `rules` if there is an arrow anywhere; `edges` if
    /// the first line has two columns; `rules` otherwise.
    pub fn detect(text: &str) -> Self {
        let first = text.lines().find(|line| !is_blank(line)).unwrap_or("");
        if ccn::looks_like(first) {
            return Self::Ccn;
        }
        let has_arrow = |line: &str| {
            !line.trim_start().starts_with(['#', '%'])
                && ["->", "→", ":-", "=>", "<-"].iter().any(|arrow| line.contains(arrow))
        };
        if !text.lines().any(has_arrow) && edges::looks_like(first) {
            return Self::Edges;
        }
        Self::Rules
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A dialect that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a format of rules; there are `rules`, `ccn` and `edges`")]
pub struct UnknownDialect(pub String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// The name in quotes that `text` is, and nothing else.
pub(crate) fn unquote(text: &str) -> Option<std::borrow::Cow<'_, str>> {
    let starts = text.starts_with('"');
    match lexer::lex(text).as_slice() {
        [lexer::Token { kind: lexer::Kind::Name(name), end, .. }]
            if starts && *end == text.len() =>
        {
            Some(name.clone())
        }
        _ => None,
    }
}

/// Whether a line says nothing: blank, or only a comment.
fn is_blank(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim_start();
    line.is_empty() || line.starts_with(['#', '%'])
}

/// A program, and how it was written.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program.
    pub program: Program,
    /// The dialect it was read as.
    pub dialect: Dialect,
    /// Rules in which a literal stood twice.
    pub repeated_literals: Vec<RuleId>,
}

/// Reads a text of rules.
///
/// `labels` fixes the classes and their order; without it the classes are the
/// names in the text, in the order in which they first stand there. `dialect`
/// of `None` means: look and see.
///
/// # Errors
/// All mistakes of the text, in the order of their lines.
///
/// ```
/// let parsed = rulebound_core::parse("stomach -> abdomen\n-> patient", None, None)?;
/// assert_eq!(parsed.program.rules().len(), 2);
/// assert_eq!(parsed.program.labels().len(), 3);
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
pub fn parse(
    text: &str,
    labels: Option<Labels>,
    dialect: Option<Dialect>,
) -> Result<Parsed, RuleErrors> {
    // A byte-order mark shifts no column: editors do not show it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let dialect = dialect.unwrap_or_else(|| Dialect::detect(text));
    let mut draft = Draft::new(labels);
    match dialect {
        Dialect::Rules => rules::read(text, &mut draft),
        Dialect::Ccn => ccn::read(text, &mut draft),
        Dialect::Edges => edges::read(text, &mut draft),
    }
    let Draft { labels, rules, spans, mut errors, repeated, .. } = draft;
    match Program::from_source(labels, rules, spans) {
        Ok(program) if errors.is_empty() => {
            let repeated_literals = repeated.into_iter().map(RuleId::new).collect();
            return Ok(Parsed { program, dialect, repeated_literals });
        }
        Ok(_) => {}
        Err(NotStratified { cycles }) => {
            errors.extend(cycles.into_iter().map(|cycle| RuleError::NotStratified { cycle }));
        }
    }
    errors.sort_by_key(RuleError::span);
    Err(RuleErrors(errors))
}
