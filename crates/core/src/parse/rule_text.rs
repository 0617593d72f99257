//! A text of rules and how to read it: the way from text to a program.

use super::dialect::Dialect;
use super::draft::Draft;
use super::error::{RuleError, RuleErrors};
use super::rules_as::RulesAs;
use super::{ccn, dimacs, edges, pishield, rules};
use crate::label::Labels;
use crate::program::{NotStratified, Program, RequirementError};
use crate::rule::RuleId;
use crate::settle::SettleLimit;
use crate::span::Span;
use std::str::FromStr;

/// A text of rules to be read.
///
/// Where only the program is of interest, `text.parse::<Program>()` does the same.
///
/// ```
/// use rulebound_core::{Labels, RuleText};
/// let labels = Labels::new(["abdomen", "stomach", "patient"])?;
/// let parsed = RuleText::new("stomach -> abdomen\n-> patient").labels(labels).parse()?;
/// assert_eq!(parsed.program.rules().len(), 2);
/// assert_eq!(parsed.program.labels().names().next(), Some("abdomen"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a text is read by `parse`"]
pub struct RuleText<'a> {
    text: &'a str,
    labels: Option<Labels>,
    dialect: Option<Dialect>,
    open: bool,
    rules_as: RulesAs,
    settle_limit: SettleLimit,
    witness: Option<Vec<bool>>,
}

/// A program, and how it was written.
#[derive(Clone, Debug)]
pub struct ParsedRules {
    /// The program.
    pub program: Program,
    /// The dialect it was read as.
    pub dialect: Dialect,
    /// Rules in which a literal occurred twice.
    pub repeated_literals: Vec<RuleId>,
    /// Where each class was first named; line 0 for those of a given list.
    pub places: Vec<Span>,
}

impl<'a> RuleText<'a> {
    /// A text in a dialect that is detected, about the classes it names.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            labels: None,
            dialect: None,
            open: false,
            rules_as: RulesAs::Rules,
            settle_limit: SettleLimit::default(),
            witness: None,
        }
    }

    /// Fixes the classes and their order; a rule about any other class is then a mistake. Without
    /// labels (or with `None`) the classes are the names in the text, in the order of their first
    /// occurrence.
    pub fn labels(mut self, labels: impl Into<Option<Labels>>) -> Self {
        self.labels = labels.into();
        self
    }

    /// Names that are not among the given labels become further classes, after them.
    pub fn open_labels(mut self) -> Self {
        self.open = true;
        self
    }

    /// Fixes the dialect. Without one (or with `None`) it is [detected](Dialect::detect).
    pub fn dialect(mut self, dialect: impl Into<Option<Dialect>>) -> Self {
        self.dialect = dialect.into();
        self
    }

    /// What may be spent on deciding whether the requirements can be satisfied, and on each row that
    /// needs search.
    pub fn settle_limit(mut self, limit: SettleLimit) -> Self {
        self.settle_limit = limit;
        self
    }

    /// A prediction that is said to satisfy everything, one decision per class. If it does, nothing has to be
    /// decided; if not, it makes no difference.
    pub fn witness(mut self, witness: impl Into<Option<Vec<bool>>>) -> Self {
        self.witness = witness.into();
        self
    }

    /// What rules are read as. Clauses need not be stratified.
    pub fn rules_as(mut self, rules_as: RulesAs) -> Self {
        self.rules_as = rules_as;
        self
    }

    /// Reads the text.
    ///
    /// # Errors
    /// All mistakes in the text, in the order of their lines.
    pub fn parse(self) -> Result<ParsedRules, RuleErrors> {
        // A byte-order mark shifts no column: editors do not show it.
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        let dialect = self.dialect.unwrap_or_else(|| Dialect::detect(text));
        let mut draft = Draft::new(self.labels, self.open);
        match dialect {
            Dialect::Rules => rules::read(text, &mut draft),
            Dialect::Ccn => ccn::read(text, &mut draft),
            Dialect::Edges => edges::read(text, &mut draft),
            Dialect::Dimacs => dimacs::read(text, &mut draft),
            Dialect::PiShield => pishield::read(text, &mut draft),
        }
        if self.rules_as == RulesAs::Clauses {
            draft.rules_to_clauses();
        }
        // Where there is a list, a number is a place in it.
        let numbering = draft.numbering.filter(|_| draft.listed().is_none());
        let Draft { labels, rules, spans, mut errors, repeated, places, .. } = draft;
        match Program::from_source(labels, rules, spans) {
            Ok(program) if errors.is_empty() => {
                let Draft { requirements, requirement_spans, preferred, .. } = draft;
                let program = program.with_settle_limit(self.settle_limit);
                let classes = program.labels().len();
                let is_witness = |witness: &Vec<bool>| {
                    witness.len() == classes && program.is_satisfied(&requirements, witness)
                };
                let witness = self.witness.filter(is_witness);
                let spans = requirement_spans;
                match program.require(requirements, spans, &preferred, witness.as_deref()) {
                    Ok(program) => {
                        let program = program
                            .with_preferred_spans(draft.preferred_spans)
                            .with_numbering(numbering);
                        let repeated_literals = repeated.into_iter().map(RuleId::new).collect();
                        return Ok(ParsedRules { program, dialect, repeated_literals, places });
                    }
                    Err(RequirementError::Unsatisfiable(problem)) => {
                        errors.push(RuleError::Unsatisfiable { problem });
                    }
                    Err(RequirementError::Undecided(problem)) => {
                        errors.push(RuleError::Undecided { problem });
                    }
                }
            }
            Ok(_) => {}
            Err(NotStratified { cycles }) => {
                errors.extend(cycles.into_iter().map(|cycle| RuleError::NotStratified { cycle }));
            }
        }
        errors.sort_by_key(RuleError::span);
        Err(RuleErrors(errors))
    }
}

/// Reads a text in any dialect, with the classes in the order of their first occurrence; see
/// [`RuleText`] for more control.
impl FromStr for Program {
    type Err = RuleErrors;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        RuleText::new(text).parse().map(|parsed| parsed.program)
    }
}
