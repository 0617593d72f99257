//! A set of rules while it is being read: the labels, rules and mistakes so far.

use super::error::{RuleError, SyntaxProblem};
use crate::label::{LabelId, Labels};
use crate::program::Numbering;
use crate::requirement::Requirement;
use crate::rule::{Literal, Rule};
use crate::span::Span;

/// Finding the nearest label reads the whole list, so only this many unknown
/// names get a "did you mean".
const SUGGESTIONS: usize = 100;

pub(super) struct Draft {
    pub labels: Labels,
    /// Whether the label list was given, so that no name may be added.
    fixed: bool,
    /// Where each name was first written; the default for those of the list.
    pub places: Vec<Span>,
    /// How many labels the list has, if one was given.
    listed: Option<usize>,
    pub rules: Vec<Rule>,
    pub spans: Vec<Span>,
    pub requirements: Vec<Requirement>,
    pub requirement_spans: Vec<Span>,
    pub preferred: Vec<LabelId>,
    /// Where each of them is preferred.
    pub preferred_spans: Vec<Span>,
    /// How the text numbers its classes, if it does.
    pub numbering: Option<Numbering>,
    pub errors: Vec<RuleError>,
    /// Rules in which a literal occurred twice.
    pub repeated: Vec<usize>,
}

impl Draft {
    /// `open` says that names that are not in the list are added to it.
    pub fn new(labels: Option<Labels>, open: bool) -> Self {
        Self {
            fixed: labels.is_some() && !open,
            listed: labels.as_ref().map(Labels::len),
            places: vec![Span::default(); labels.as_ref().map_or(0, Labels::len)],
            labels: labels.unwrap_or_default(),
            rules: Vec::new(),
            spans: Vec::new(),
            requirements: Vec::new(),
            requirement_spans: Vec::new(),
            preferred: Vec::new(),
            preferred_spans: Vec::new(),
            numbering: None,
            errors: Vec::new(),
            repeated: Vec::new(),
        }
    }

    /// Whether a name is in the label list that was given.
    pub fn is_listed(&self, name: &str) -> bool {
        let label = self.labels.find(name);
        label.is_some_and(|label| self.listed.is_some_and(|listed| label.index() < listed))
    }

    pub fn problem(&mut self, span: Span, problem: SyntaxProblem) {
        self.errors.push(RuleError::Syntax { span, problem });
    }

    /// The label of a name; an unknown one is recorded as a mistake. The span is
    /// computed only then: finding a column reads the line up to it.
    pub fn label(&mut self, name: &str, span: impl Fn() -> Span) -> Option<LabelId> {
        if !self.fixed {
            let label = self.labels.intern(name);
            if label.index() == self.places.len() {
                self.places.push(span());
            }
            return Some(label);
        }
        let found = self.labels.find(name);
        if found.is_none() {
            let nearest = (self.errors.len() < SUGGESTIONS)
                .then(|| self.labels.nearest(name).map(str::to_owned))
                .flatten();
            self.errors.push(RuleError::UnknownLabel {
                span: span(),
                name: name.to_owned(),
                nearest,
            });
        }
        found
    }

    /// The label of a class number: its position in the list if one was given,
    /// otherwise a label named after the number.
    pub fn numbered(&mut self, number: usize, span: impl Fn() -> Span) -> Option<LabelId> {
        let Some(listed) = self.listed else {
            return self.label(&number.to_string(), span);
        };
        if number < listed {
            return Some(LabelId::new(number));
        }
        let labels = listed;
        self.errors.push(RuleError::NumberOutOfRange { span: span(), number, labels });
        None
    }

    pub fn requirement(&mut self, requirement: Requirement, span: Span) {
        self.requirements.push(requirement);
        self.requirement_spans.push(span);
    }

    /// Makes every rule a clause, in the order of the text.
    pub fn rules_to_clauses(&mut self) {
        let rules = self.rules.drain(..).map(|rule| Requirement::of_rule(&rule));
        let mut all: Vec<(Span, Requirement)> = self.spans.drain(..).zip(rules).collect();
        all.extend(self.requirement_spans.drain(..).zip(self.requirements.drain(..)));
        all.sort_by_key(|(span, _)| *span);
        (self.requirement_spans, self.requirements) = all.into_iter().unzip();
        self.repeated.clear();
    }

    /// Prefers a class after those that are; false if it is preferred already.
    pub fn prefer(&mut self, label: LabelId, span: Span) -> bool {
        let is_new = !self.preferred.contains(&label);
        self.preferred.extend(is_new.then_some(label));
        self.preferred_spans.extend(is_new.then_some(span));
        is_new
    }

    /// How many labels the list has, if one was given.
    pub fn listed(&self) -> Option<usize> {
        self.listed
    }

    pub fn rule(&mut self, head: LabelId, body: Vec<Literal>, span: Span) {
        let written = body.len();
        let rule = Rule::new(head, body);
        if rule.body().len() < written {
            self.repeated.push(self.rules.len());
        }
        self.rules.push(rule);
        self.spans.push(span);
    }
}
