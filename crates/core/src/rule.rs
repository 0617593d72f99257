//! Normal rules: `A₁, …, A_k, ¬A_{k+1}, …, ¬A_n → A`.
//!
//! A [`Literal`] is a label with its polarity, packed into 32 bits so that a
//! body is a flat run of numbers. Invariant of a [`Rule`]: no literal occurs
//! twice in its body (the paper's assumption); `B` and `¬B` may both occur,
//! because the closure needs such bodies.

use crate::label::{LabelId, Labels};
use crate::name::Quoted;
use std::fmt;
use std::ops::Not;

/// A label with its polarity: `stomach` or `not stomach`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The literal that holds where `label` is predicted.
    pub const fn positive(label: LabelId) -> Self {
        Self((label.index() as u32) << 1)
    }

    /// The literal that holds where `label` is not predicted.
    pub const fn negative(label: LabelId) -> Self {
        Self(((label.index() as u32) << 1) | 1)
    }

    /// Its label.
    pub fn label(self) -> LabelId {
        LabelId::new((self.0 >> 1) as usize)
    }

    /// Whether it is the negation of its label.
    pub const fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Twice the label's number, plus one if negated: the form the compiled
    /// layer works with.
    pub(crate) const fn code(self) -> u32 {
        self.0
    }

    /// The literal with this [code](Self::code).
    pub(crate) const fn from_code(code: u32) -> Self {
        Self(code)
    }

    /// The position of its label, which need not exist.
    pub(crate) const fn label_index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it holds when exactly the labels marked in `predicted` hold.
    pub fn holds(self, predicted: &[bool]) -> bool {
        predicted[self.label().index()] != self.is_negated()
    }

    /// The literal as the rule language writes it.
    pub fn display(self, labels: &Labels) -> impl fmt::Display + '_ {
        Named { labels, what: self }
    }
}

impl Not for Literal {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_negated() { "¬" } else { "" }, self.0 >> 1)
    }
}

/// The position of a rule in its program, from 0, in the order written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(u32);

impl RuleId {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a program holds fewer than 2³² rules"))
    }

    /// The position, for indexing.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One normal rule: where the whole body holds, the head must hold.
///
/// ```
/// use rulebound_core::{Labels, Literal, Rule};
/// let labels = Labels::new(["stomach", "abdomen"])?;
/// let (stomach, abdomen) = (labels.find("stomach").unwrap(), labels.find("abdomen").unwrap());
/// let rule = Rule::new(abdomen, [Literal::positive(stomach)]);
/// assert_eq!(rule.display(&labels).to_string(), "stomach -> abdomen");
/// # Ok::<(), rulebound_core::LabelError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    head: LabelId,
    body: Box<[Literal]>,
}

impl Rule {
    /// A rule; a literal that occurs twice in `body` is kept once, at its first
    /// position.
    pub fn new(head: LabelId, body: impl IntoIterator<Item = Literal>) -> Self {
        let mut body: Vec<Literal> = body.into_iter().collect();
        keep_first(&mut body);
        Self { head, body: body.into() }
    }

    /// The label that the rule derives.
    pub fn head(&self) -> LabelId {
        self.head
    }

    /// The literals that must hold for that, in the order written. Empty for a fact.
    pub fn body(&self) -> &[Literal] {
        &self.body
    }

    /// Whether no literal of the body is negated.
    pub fn is_definite(&self) -> bool {
        self.body.iter().all(|literal| !literal.is_negated())
    }

    /// Whether the head occurs in the positive body: such a rule never adds
    /// anything.
    pub fn supports_itself(&self) -> bool {
        self.body.contains(&Literal::positive(self.head))
    }

    /// The rule as the rule language writes it.
    pub fn display<'a>(&'a self, labels: &'a Labels) -> impl fmt::Display + 'a {
        Named { labels, what: self }
    }
}

/// Removes all but the first of equal literals. Long bodies use a hash set, so
/// that a body of a million literals costs no more per literal than a short one.
fn keep_first(body: &mut Vec<Literal>) {
    if body.len() <= 16 {
        let mut kept = 0;
        for at in 0..body.len() {
            if !body[..kept].contains(&body[at]) {
                body[kept] = body[at];
                kept += 1;
            }
        }
        body.truncate(kept);
    } else {
        let mut seen = std::collections::HashSet::with_capacity(body.len());
        body.retain(|literal| seen.insert(*literal));
    }
}

struct Named<'a, T> {
    labels: &'a Labels,
    what: T,
}

impl fmt::Display for Named<'_, Literal> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.what.is_negated() { "not " } else { "" };
        write!(f, "{not}{}", Quoted(self.labels.name(self.what.label())))
    }
}

impl fmt::Display for Named<'_, &Rule> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, literal) in self.what.body().iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            write!(f, "{comma}{}", literal.display(self.labels))?;
        }
        let space = if self.what.body().is_empty() { "" } else { " " };
        write!(f, "{space}-> {}", Quoted(self.labels.name(self.what.head())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_literal_is_kept_once_where_it_stood_first() {
        let [a, b] = [0, 1].map(|i| Literal::positive(LabelId::new(i)));
        assert_eq!(Rule::new(b.label(), [b, a, b, !a, a]).body(), [b, a, !a]);
        let long = (0..40).map(|i| Literal::positive(LabelId::new(i % 20)));
        assert_eq!(Rule::new(a.label(), long).body().len(), 20);
    }

    #[test]
    fn negation_is_its_own_inverse() {
        let a = Literal::positive(LabelId::new(7));
        assert_eq!(!!a, a);
        assert_eq!((!a).label(), a.label());
        assert!((!a).is_negated() && (!a).holds(&[false; 8]) && !a.holds(&[false; 8]));
    }
}
