//! The dialect `dimacs`: conjunctive normal form as solvers read it. `p cnf <classes> <clauses>`, then
//! class numbers from 1, negative ones negated, each clause ended by 0; lines that start with `c` are
//! comments.
//!
//! Two forms have weights: `p wcnf <classes> <clauses> <top>`, where each clause starts with its weight
//! and is hard if that is `top`, and the later one without a header, where a hard clause starts with
//! `h`. Soft clauses are a mistake: requirements hold in every prediction.

use super::draft::Draft;
use super::error::SyntaxProblem;
use crate::label::LabelId;
use crate::program::Numbering;
use crate::requirement::Requirement;
use crate::rule::Literal;
use crate::span::Span;

/// More classes than this are not named after their numbers.
const MOST: usize = 1_000_000;

/// Whether the text starts as one of the three forms does.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !is_comment(line)).peekable();
    let Some(&first) = lines.peek() else { return false };
    let words: Vec<&str> = first.split_whitespace().take(2).collect();
    matches!(words[..], ["p", "cnf" | "wcnf"]) || (is_weighted(first) && lines.any(is_hard))
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line == "c" || line.starts_with("c ")
}

/// Whether a line is a hard clause of the form without a header.
fn is_hard(line: &str) -> bool {
    line.split_whitespace().next() == Some("h") && is_weighted(line)
}

/// Whether a line is a clause of the form without a header: `h` or a weight, then literals and 0.
fn is_weighted(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_weight = |word: &str| word == "h" || word.parse::<u64>().is_ok();
    words.next().is_some_and(is_weight)
        && words.clone().all(|word| word.parse::<i64>().is_ok())
        && words.next_back() == Some("0")
}

/// What comes before the literals of a clause.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Nothing.
    Plain { classes: usize, clauses: usize },
    /// A weight; a clause with this one is hard, none where there is no such weight.
    Weighted { classes: usize, clauses: usize, top: Option<u64> },
    /// `h`, or a weight; there is no header.
    Marked,
}

impl Form {
    fn of_header(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (&kind, numbers) = words.strip_prefix(&["p"])?.split_first()?;
        let number = |at: usize| numbers.get(at)?.parse::<usize>().ok();
        let (classes, clauses) = (number(0)?, number(1)?);
        match kind {
            "cnf" => Some(Self::Plain { classes, clauses }),
            "wcnf" => {
                let top = numbers.get(2).and_then(|top| top.parse().ok());
                Some(Self::Weighted { classes, clauses, top })
            }
            _ => None,
        }
    }

    /// How classes are numbered.
    fn numbering(self) -> Numbering {
        match self {
            Self::Plain { classes, .. } | Self::Weighted { classes, .. } => {
                Numbering { first: 1, classes: Some(classes) }
            }
            Self::Marked => Numbering { first: 1, classes: None },
        }
    }

    /// Whether a clause that starts with this word is hard; `None` if none can start with it.
    fn is_hard(self, word: &str) -> Option<bool> {
        match self {
            Self::Plain { .. } => Some(true),
            Self::Weighted { top, .. } => {
                word.parse::<u64>().ok().map(|weight| top.is_some_and(|top| weight >= top))
            }
            Self::Marked if word == "h" => Some(true),
            Self::Marked => word.parse::<u64>().ok().map(|_| false),
        }
    }
}

/// The clause that is being read.
#[derive(Default)]
struct Open {
    start: Option<Span>,
    /// Without a weight, or with that of hard ones.
    is_soft: bool,
    is_wrong: bool,
    literals: Vec<Literal>,
}

/// What is read so far.
struct Clauses<'d> {
    draft: &'d mut Draft,
    form: Form,
    /// How many classes there may be.
    most: usize,
    found: usize,
    soft: Option<(Span, usize)>,
    open: Open,
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    let mut reading: Option<Clauses<'_>> = None;
    let mut draft = Some(draft);
    let mut header = Span { line: 1, column: 1, length: 1 };
    for (number, line) in text.lines().enumerate() {
        let at = u32::try_from(number + 1).unwrap_or(u32::MAX);
        if is_comment(line) {
            continue;
        }
        // Some files end with a line of `%`.
        if line.trim() == "%" {
            break;
        }
        let place = |word: &str| {
            let from = word.as_ptr() as usize - line.as_ptr() as usize;
            Span::within(at, line, from, from + word.len())
        };
        if let Some(draft) = draft.take() {
            header = place(line.trim());
            let form = match Form::of_header(line) {
                Some(form) => form,
                None if is_weighted(line) => Form::Marked,
                None => return draft.problem(header, SyntaxProblem::NoDimacsHeader),
            };
            let Some(most) = begin(form, text, header, draft) else { return };
            let open = Open::default();
            reading = Some(Clauses { draft, form, most, found: 0, soft: None, open });
            if form != Form::Marked {
                continue;
            }
        }
        let Some(clauses) = &mut reading else { continue };
        line.split_whitespace().for_each(|word| clauses.read(word, place(word)));
    }
    match (reading, draft) {
        (Some(clauses), _) => clauses.end(header),
        (None, Some(draft)) => draft.problem(header, SyntaxProblem::NoDimacsHeader),
        (None, None) => {}
    }
}

impl Clauses<'_> {
    fn read(&mut self, word: &str, span: Span) {
        let is_first = self.open.start.is_none();
        self.open.start.get_or_insert(span);
        if is_first && !matches!(self.form, Form::Plain { .. }) {
            match self.form.is_hard(word) {
                Some(is_hard) => self.open.is_soft = !is_hard,
                None => self.wrong(span, SyntaxProblem::BadDimacs(word.to_owned())),
            }
            return;
        }
        let Ok(literal) = word.parse::<i64>() else {
            return self.wrong(span, SyntaxProblem::BadDimacs(word.to_owned()));
        };
        if literal == 0 {
            return self.close();
        }
        let number = usize::try_from(literal.unsigned_abs()).unwrap_or(usize::MAX);
        if number > self.most {
            return self.wrong(span, SyntaxProblem::DimacsOutOfRange { number, most: self.most });
        }
        let label = LabelId::new(number - 1);
        self.open.literals.push(match literal < 0 {
            true => Literal::negative(label),
            false => Literal::positive(label),
        });
    }

    fn wrong(&mut self, span: Span, problem: SyntaxProblem) {
        self.draft.problem(span, problem);
        self.open.is_wrong = true;
    }

    fn close(&mut self) {
        let Open { start, is_soft, is_wrong, literals } = std::mem::take(&mut self.open);
        let Some(start) = start else { return };
        self.found += 1;
        if is_soft {
            self.soft.get_or_insert((start, 0)).1 += 1;
        } else if !is_wrong {
            self.draft.requirement(Requirement::any([], literals), start);
        }
    }

    fn end(mut self, header: Span) {
        if let Some(start) = self.open.start {
            self.found += 1;
            self.draft.problem(start, SyntaxProblem::OpenClause);
        }
        if let Some((first, count)) = self.soft {
            self.draft.problem(first, SyntaxProblem::SoftClauses(count));
        }
        if let Form::Plain { clauses, .. } | Form::Weighted { clauses, .. } = self.form
            && clauses != self.found
        {
            let found = self.found;
            self.draft.problem(header, SyntaxProblem::DimacsClauses { clauses, found });
        }
    }
}

/// Names the classes, unless a list does; returns how many may occur, `None` after a mistake.
fn begin(form: Form, text: &str, header: Span, draft: &mut Draft) -> Option<usize> {
    draft.numbering = Some(form.numbering());
    let classes = match (form, draft.listed()) {
        (Form::Plain { classes, .. } | Form::Weighted { classes, .. }, Some(listed)) => {
            if classes != listed {
                draft.problem(header, SyntaxProblem::DimacsClasses { classes, listed });
            }
            // With that mistake nothing is built; the others are still found.
            return Some(listed.max(classes));
        }
        (Form::Marked, Some(listed)) => return Some(listed),
        (Form::Plain { classes, .. } | Form::Weighted { classes, .. }, None) => classes,
        (Form::Marked, None) => {
            let clauses = text.lines().filter(|line| !is_comment(line));
            let words = clauses.flat_map(|line| line.split_whitespace().skip(1));
            let numbers = words.filter_map(|word| word.parse::<i64>().ok());
            let most = numbers.map(i64::unsigned_abs).max().unwrap_or(0);
            usize::try_from(most).unwrap_or(usize::MAX)
        }
    };
    if classes > MOST {
        let (number, most) = (classes, MOST);
        draft.problem(header, SyntaxProblem::DimacsOutOfRange { number, most });
        return None;
    }
    for class in 1..=classes {
        draft.label(&class.to_string(), Span::default);
    }
    Some(classes)
}
