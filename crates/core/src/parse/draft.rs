//! A set of rules while it is being read: the labels, rules and mistakes so far.

use super::error::{RuleError, SyntaxProblem};
use crate::label::{LabelId, Labels};
use crate::rule::{Literal, Rule};
use crate::span::Span;

/// Finding the nearest label reads the whole list, so only this many unknown
/// names get a "did you mean".
const SUGGESTIONS: usize = 100;

pub(super) struct Draft {
    pub labels: Labels,
    /// Whether the label list was given, so that no name may be added.
    fixed: bool,
    pub rules: Vec<Rule>,
    pub spans: Vec<Span>,
    pub errors: Vec<RuleError>,
    /// Rules in which a literal occurred twice.
    pub repeated: Vec<usize>,
}

impl Draft {
    pub fn new(labels: Option<Labels>) -> Self {
        Self {
            fixed: labels.is_some(),
            labels: labels.unwrap_or_default(),
            rules: Vec::new(),
            spans: Vec::new(),
            errors: Vec::new(),
            repeated: Vec::new(),
        }
    }

    /// Whether a name is in the label list that was given.
    pub fn is_listed(&self, name: &str) -> bool {
        self.fixed && self.labels.find(name).is_some()
    }

    pub fn problem(&mut self, span: Span, problem: SyntaxProblem) {
        self.errors.push(RuleError::Syntax { span, problem });
    }

    /// The label of a name; an unknown one is recorded as a mistake. The span is
    /// computed only then: finding a column reads the line up to it.
    pub fn label(&mut self, name: &str, span: impl Fn() -> Span) -> Option<LabelId> {
        if !self.fixed {
            return Some(self.labels.intern(name));
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
        if !self.fixed {
            return Some(self.labels.intern(&number.to_string()));
        }
        if number < self.labels.len() {
            return Some(LabelId::new(number));
        }
        let labels = self.labels.len();
        self.errors.push(RuleError::NumberOutOfRange { span: span(), number, labels });
        None
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
