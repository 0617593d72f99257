//! What can be wrong with a file of rules: every mistake with its place.
//!
//! Errors are data. [`RuleError::span`] says where, its `Display` says what,
//! [`RuleError::hint`] says what to do; drawing carets is left to the command
//! line.

use crate::program::{HidingError, NegativeCycle, Undecided, Unsatisfiable};
use crate::span::Span;
use std::borrow::Cow;
use std::fmt;
use thiserror::Error;

/// One mistake in a set of rules.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum RuleError {
    /// The text is not a rule.
    #[error("{problem}")]
    Syntax { span: Span, problem: SyntaxProblem },
    /// A name that is not in the label list.
    #[error("`{name}` is not in the label list")]
    UnknownLabel { span: Span, name: String, nearest: Option<String> },
    /// A requirement about a class that is not known.
    #[error("a requirement names `{name}`, which is not a known class")]
    UnknownInRequirement { span: Span, name: String, nearest: Option<String> },
    /// A name that is not known, but nearly one that is.
    #[error("`{name}` is not a known class, but nearly one")]
    NearLabel { span: Span, name: String, nearest: String },
    /// More names that are not in the label list than are reported.
    #[error("{more} more names are not in the label list")]
    MoreUnknownLabels {
        /// The place of the first of them.
        span: Span,
        more: usize,
    },
    /// A class that is not known cannot be hidden.
    #[error("`{}` is not a known class and cannot be hidden: {problem}", problem.class())]
    CannotHide {
        /// Where the class is first named.
        span: Span,
        problem: HidingError,
    },
    /// A class number past the end of the label list.
    #[error("class number {number}, but the label list has only {labels} names")]
    NumberOutOfRange {
        span: Span,
        /// The number, from 0.
        number: usize,
        labels: usize,
    },
    /// No prediction satisfies all rules and requirements.
    #[error("{problem}")]
    Unsatisfiable {
        /// A smallest set of lines that clash.
        problem: Unsatisfiable,
    },
    /// Whether any prediction satisfies all rules and requirements was not found.
    #[error("{problem}")]
    Undecided { problem: Undecided },
    /// The rules define a class through its own negation.
    #[error("the rules are not stratified: {cycle}")]
    NotStratified { cycle: NegativeCycle },
}

impl RuleError {
    /// Where the mistake is; for a cycle, its negative rule.
    pub fn span(&self) -> Span {
        match self {
            Self::Syntax { span, .. }
            | Self::UnknownLabel { span, .. }
            | Self::NearLabel { span, .. }
            | Self::UnknownInRequirement { span, .. }
            | Self::MoreUnknownLabels { span, .. }
            | Self::CannotHide { span, .. }
            | Self::NumberOutOfRange { span, .. } => *span,
            Self::NotStratified { cycle } => cycle.steps[0].span,
            // The last of them is where it became impossible.
            Self::Unsatisfiable { problem } => {
                problem.lines.iter().map(|line| line.span).max().unwrap_or_default()
            }
            // It is said of all lines together.
            Self::Undecided { .. } => Span::default(),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Syntax { problem, .. } => problem.hint().map(Cow::into_owned),
            Self::UnknownLabel { nearest, .. } => Some(match nearest {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "add it to the label list, or correct the name here".to_owned(),
            }),
            Self::UnknownInRequirement { nearest, .. } => {
                let hide = "--unknown-labels hide takes such classes as never predicted";
                Some(match nearest {
                    Some(nearest) => format!("did you mean `{nearest}`? {hide}"),
                    None => hide.to_owned(),
                })
            }
            Self::NearLabel { nearest, .. } => Some(format!(
                "did you mean `{nearest}`? A rule about another class would do nothing, so names this \
                 similar are an error"
            )),
            Self::MoreUnknownLabels { .. } => {
                Some("--unknown-labels hide leaves them out, with what they imply kept".to_owned())
            }
            Self::CannotHide { .. } => {
                Some("--unknown-labels keep makes such classes part of the data".to_owned())
            }
            Self::NumberOutOfRange { labels: 0, .. } => Some("the label list is empty".to_owned()),
            Self::NumberOutOfRange { labels, .. } => {
                Some(format!("class numbers go from 0 to {}", labels - 1))
            }
            Self::Unsatisfiable { problem } => Some(match problem.is_smallest {
                true => "without any one of these lines, the others can be satisfied".to_owned(),
                false => {
                    "fewer of these lines may clash, too: a larger --settle-limit looks longer"
                        .to_owned()
                }
            }),
            Self::Undecided { problem } => Some(format!(
                "--settle-limit {}; fewer or simpler requirements are decided sooner",
                problem.limit.longer()
            )),
            Self::NotStratified { .. } => Some(
                "a class must not depend on its own negation: drop or rewrite one of these rules, or read \
                 all of them as requirements, which may depend on each other: --rules-as clauses"
                    .to_owned(),
            ),
        }
    }

    /// A short name for the kind of mistake, for programs that read the output.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "syntax",
            Self::UnknownLabel { .. } => "unknown-label",
            Self::UnknownInRequirement { .. } => "unknown-in-requirement",
            Self::NearLabel { .. } => "near-label",
            Self::MoreUnknownLabels { .. } => "unknown-label",
            Self::CannotHide { .. } => "cannot-hide",
            Self::NumberOutOfRange { .. } => "number-out-of-range",
            Self::NotStratified { .. } => "not-stratified",
            Self::Unsatisfiable { .. } => "unsatisfiable",
            Self::Undecided { .. } => "undecided",
        }
    }
}

/// All mistakes of a text of rules, in the order of their lines; at least one. As text it is the first
/// twenty of them, one per line, each with its line and column.
#[derive(Clone, PartialEq)]
pub struct RuleErrors(pub Vec<RuleError>);

/// The most mistakes in one text.
const SHOWN: usize = 20;

impl fmt::Display for RuleErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().take(SHOWN).enumerate() {
            let newline = if index > 0 { "\n" } else { "" };
            write!(f, "{newline}{}: {error}", error.span())?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n… and {more} more"),
        }
    }
}

/// What `?` in `main` prints: the mistakes as they are told, not the types that hold them.
impl fmt::Debug for RuleErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for RuleErrors {}

/// What is wrong with the syntax of a rule.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum SyntaxProblem {
    /// No arrow in the rule.
    #[error("a rule needs an arrow")]
    NoArrow,
    /// More than one arrow.
    #[error("a rule has only one arrow")]
    SecondArrow,
    /// An arrow of another language.
    #[error("`{0}` is not an arrow of the rule language")]
    WrongArrow(String),
    /// The head is missing.
    #[error("the rule has no head")]
    NoHead,
    /// More than one head.
    #[error("a rule has only one head")]
    SeveralHeads,
    /// A comma with nothing on one side.
    #[error("expected a class name {0}")]
    NoName(&'static str),
    /// Two names with nothing between them.
    #[error("expected `,` or an arrow before `{0}`")]
    NoComma(String),
    /// Something that is not part of the language.
    #[error("unexpected `{0}`")]
    Unexpected(String),
    /// A disjunction in a body.
    #[error("`{0}` is not part of a rule: bodies are conjunctions")]
    Disjunction(String),
    /// A group, or what is not to hold together, before the arrow.
    #[error("`{0}` before the arrow: bodies are conjunctions")]
    GroupInBody(String),
    /// `,` among alternatives, or `|` among what is listed.
    #[error("`{0}` beside another separator")]
    MixedSeparators(String),
    /// A parenthesis that is never closed.
    #[error("the parenthesis is never closed")]
    OpenParenthesis,
    /// Something after a group.
    #[error("unexpected `{0}` after a group")]
    AfterGroup(String),
    /// Words before a parenthesis that name no group.
    #[error("`{0}` is not a kind of group")]
    UnknownGroup(String),
    /// What should be a number of classes is not.
    #[error("`{0}` is not a number of classes")]
    BadCount(String),
    /// `between` with the larger number first.
    #[error("between {least} and {most}: no number is")]
    ReversedBounds { least: u32, most: u32 },
    /// A negated class alone on its line.
    #[error("`not {0}` has no `->`")]
    NegatedFact(String),
    /// `true` or `false` where a class is expected.
    #[error("`{0}` is a constant, not a class")]
    Constant(String),
    /// A group of which more must hold than it has.
    #[error("at least {least} of {members} classes")]
    TooManyRequired { least: u32, members: usize },
    /// The same class twice in a group.
    #[error("`{0}` occurs twice in the group")]
    RepeatedMember(String),
    /// A negation among preferred classes.
    #[error("a preferred class cannot be negated")]
    NegatedPreference,
    /// A class that is preferred already.
    #[error("`{0}` is preferred already")]
    PreferredTwice(String),
    /// A quote that is never closed.
    #[error("the quotation mark is never closed")]
    OpenQuote,
    /// A backslash before a character that is not an escape.
    #[error("`\\{0}` is not an escape sequence")]
    BadEscape(char),
    /// An empty name.
    #[error("a class name cannot be empty")]
    EmptyName,
    /// A comment character that touches a name.
    #[error("`{0}` inside a name")]
    CommentInName(char),
    /// The first item of a `ccn` line is not a number.
    #[error("`{0}` is not a weight")]
    BadWeight(String),
    /// An item of a `ccn` line is not a class number.
    #[error("`{0}` is not a class number")]
    BadNumber(String),
    /// A `ccn` line that is not `<weight> <head> :- <body>`.
    #[error("expected `<weight> <head> :- <body>`")]
    NotCcn,
    /// A `pishield` line that is neither of its two forms.
    #[error("expected `y_0 or not y_3` or `n1 :- 0`")]
    NotPiShield,
    /// A `pishield` line about variables with several values.
    #[error("categorical requirements, such as `[1,2]:a_1`, are not supported")]
    CategoricalPiShield,
    /// A word of a `dimacs` text that is not a literal.
    #[error("`{0}` is not a literal")]
    BadDimacs(String),
    /// A text that does not start as a `dimacs` text does.
    #[error("expected `p cnf <classes> <clauses>`")]
    NoDimacsHeader,
    /// A header and a label list that do not agree.
    #[error("the header says {classes} classes, and the label list has {listed}")]
    DimacsClasses { classes: usize, listed: usize },
    /// A header and a text that do not agree.
    #[error("the header says {clauses} clauses, and there are {found}")]
    DimacsClauses { clauses: usize, found: usize },
    /// A last `dimacs` clause without its 0.
    #[error("the last clause does not end with 0")]
    OpenClause,
    /// Clauses that need not hold.
    #[error("{}", soft(*.0))]
    SoftClauses(usize),
    /// A literal of a class past those of the header or the list.
    #[error("class {number} of {most}")]
    DimacsOutOfRange {
        /// The class, from 1.
        number: usize,
        most: usize,
    },
    /// An `edges` line that does not have two columns.
    #[error("expected two columns, child and parent, found {0}")]
    NotTwoColumns(usize),
}

fn soft(clauses: usize) -> String {
    match clauses {
        1 => "1 of the clauses is soft: it has a weight, and need not hold".to_owned(),
        several => {
            format!("{several} of the clauses are soft: they have a weight, and need not hold")
        }
    }
}

impl SyntaxProblem {
    fn hint(&self) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed(match self {
            Self::NoArrow => {
                "write `body -> head` or `head :- body`; a fact is `-> head` or `head.`, alternatives \
                 are `a | b`"
            }
            Self::SecondArrow => "write each rule on a line of its own",
            Self::WrongArrow(arrow) if arrow.starts_with('<') && arrow.ends_with('>') => {
                "an equivalence is two rules: `a -> b` and `b -> a`"
            }
            Self::WrongArrow(_) => "write `body -> head` or `head :- body`",
            Self::NoHead => {
                "write what follows after the arrow; `not (a, b)` forbids a combination"
            }
            Self::SeveralHeads => "write one rule for each head, with the same body",
            Self::NoName(_) => "remove the extra character, or write the missing name",
            Self::NoComma(_) => "separate literals by `,`; put a name with spaces in \"quotes\"",
            Self::Disjunction(_) => "write one rule for each alternative, all with the same head",
            Self::GroupInBody(_) => {
                "put the group after the arrow; put a name that contains this character in \"quotes\""
            }
            Self::MixedSeparators(_) => {
                "separate alternatives by `|` only; the classes of a group or a body by `,` only"
            }
            Self::OpenParenthesis => {
                "close it on the same line, or end the line with a comma to continue on the next"
            }
            Self::AfterGroup(_) => "write each requirement on a line of its own",
            Self::UnknownGroup(_) => {
                "write exclusive(a, b), one of(a, b), exactly 2 of(a, b, c), at most 2 of(a, b, c) or at \
                 least 2 of(a, b, c); put a name that contains parentheses in \"quotes\""
            }
            Self::BadCount(_) => "write a number, such as 2",
            Self::ReversedBounds { least, most } => {
                return Some(Cow::Owned(format!("write `between {most} and {least} of(...)`")));
            }
            Self::NegatedFact(name) => {
                return Some(Cow::Owned(format!(
                    "write `-> not {name}` if it must never be predicted"
                )));
            }
            Self::Constant(_) => {
                "a fact is `-> a`, what must not hold `a, b -> false`; put a class with this name in \
                 \"quotes\""
            }
            Self::DimacsClasses { .. } => {
                "class number i is the i-th class of the --labels list, or of the data: there must be as many \
                 as the header says"
            }
            Self::DimacsClauses { .. } => {
                "the file may be incomplete; if it is not, correct the number in its header"
            }
            Self::OpenClause => {
                "the file may be cut short; if it is not, write the 0 that ends the clause"
            }
            Self::SoftClauses(_) => {
                "requirements are hard: remove the soft clauses, or write `p cnf` without weights to \
                 make all of them hard"
            }
            Self::TooManyRequired { .. } => "no prediction can have more classes than there are",
            Self::RepeatedMember(_) => "write each class of a group once",
            Self::NegatedPreference => {
                "a preferred class is settled first, whatever its side: write its name"
            }
            Self::PreferredTwice(_) => "write each preferred class once",
            Self::NotPiShield => "a class is its number, from 0",
            Self::CategoricalPiShield => {
                "a class is predicted or not: make each value a class, with `one of(...)` over the values of \
                 a variable; a `pishield` line is `y_0 or not y_3` or `n1 :- 0`"
            }
            Self::BadDimacs(_) => {
                "a literal is a class number from 1, with a minus if negated; 0 ends a clause"
            }
            Self::NoDimacsHeader => {
                "for example `p cnf 3 2`; with weights `p wcnf 3 2 10`, or `h 1 -2 0`"
            }
            Self::DimacsOutOfRange { .. } => {
                "the header says how many classes there are, and so does the label list"
            }
            Self::OpenQuote => {
                "end the name with `\"` on the same line; inside it, write `\\\"` for `\"`"
            }
            Self::BadEscape(_) => "the escape sequences are \\\" \\\\ \\n \\r \\t",
            Self::CommentInName(_) => {
                "put a space before a comment; put a name that contains this character in \"quotes\""
            }
            Self::BadWeight(_) => "a `ccn` line starts with a number, the rule's weight",
            Self::BadNumber(_) => "a class is its number, from 0; `n` before it negates",
            Self::NotCcn => "for example `0.121 5 :- n2 4`",
            Self::NotTwoColumns(_) => {
                "write `child,parent`; quote a name that contains the separator"
            }
            Self::Unexpected(_) => "put a name that contains this character in \"quotes\"",
            Self::EmptyName => return None,
        }))
    }
}
