//! Delegates: which literal decided a class.
//!
//! Max and min only select, so every output of the layer is the margin of one
//! class, or its negation, or the constant of a fact. That leaf is the
//! *delegate*: the value is a gather from it, the gradient a scatter to it,
//! and the explanation is its name.
//!
//! Ties go to the class itself, then to the rule written first, and in a body
//! to the literal written first. In a positive cycle, where "first" could run
//! in a circle, the derivation with the fewest rules comes before that.

use crate::label::{LabelId, Labels};
use crate::rule::Literal;
use std::fmt;

/// The literal that supplied a class's value, or the constant of a fact.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct Delegate(u32);

impl Delegate {
    /// Codes from here on are constants: facts, and what the loss takes for
    /// granted.
    pub(crate) const CONSTANT: u32 = 1 << 31;

    /// What always holds and is not a fact of the program.
    pub(crate) const TRUE: Self = Self(u32::MAX - 1);

    /// The fact `-> head`.
    pub(crate) const fn of_fact(head: u32) -> Self {
        Self(Self::CONSTANT | head << 1)
    }

    /// The class itself.
    pub fn own(label: LabelId) -> Self {
        Self(Literal::positive(label).code())
    }

    /// The delegate with this code; see [`Delegate::code`].
    pub const fn from_code(code: u32) -> Self {
        Self(code)
    }

    /// The delegate as one number, for other backends: twice the class, plus 1 if it is negated;
    /// for the fact `-> head` twice the head plus 2³¹, and 1 more for `-> not head`; 2³² − 2 for what holds and is not a fact.
    pub const fn code(self) -> u32 {
        self.0
    }

    /// The delegate of the negated class. Negation is one bit, for the
    /// constants too.
    #[must_use]
    pub(crate) const fn flip(self, negated: bool) -> Self {
        Self(self.0 ^ negated as u32)
    }

    /// The deciding literal; `None` if a fact decided.
    pub fn literal(self) -> Option<Literal> {
        if self.0 >= Self::CONSTANT {
            return None;
        }
        let label = LabelId::new((self.0 >> 1) as usize);
        Some(if self.0 & 1 == 1 { Literal::negative(label) } else { Literal::positive(label) })
    }

    /// Whether this is the constant that never holds: a class that the requirements exclude.
    pub fn is_never(self) -> bool {
        self.0 >= Self::CONSTANT && self.0 & 1 == 1
    }

    /// The class whose fact decided, if a fact did.
    pub fn fact(self) -> Option<LabelId> {
        let is_fact = self.0 >= Self::CONSTANT && self.0 & !1 != Self::TRUE.0;
        is_fact.then(|| LabelId::new(((self.0 & !Self::CONSTANT) >> 1) as usize))
    }

    /// The delegate as text: `stomach`, `not upperAbdomen`, or a fact
    /// `-> image`, or what is required of every prediction, `-> not image`. Names are not quoted: this is a table cell, not a rule.
    pub fn display(self, labels: &Labels) -> impl fmt::Display + '_ {
        Named { delegate: self, labels }
    }
}

/// The delegate of no class: the initial content of buffers.
impl Default for Delegate {
    fn default() -> Self {
        Self::TRUE
    }
}

struct Named<'a> {
    delegate: Delegate,
    labels: &'a Labels,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(literal) = self.delegate.literal() {
            let not = if literal.is_negated() { "not " } else { "" };
            return write!(f, "{not}{}", self.labels.name(literal.label()));
        }
        match self.delegate.fact() {
            Some(head) => {
                let not = if self.delegate.0 & 1 == 1 { "not " } else { "" };
                write!(f, "-> {not}{}", self.labels.name(head))
            }
            None => f.write_str("->"),
        }
    }
}
