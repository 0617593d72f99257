//! Requirements: what must hold together, whichever class has to give way.
//!
//! A rule raises its head; a requirement is symmetric. Where its guard holds, one of some literals
//! must hold (a clause), or a number of them between two bounds (a group). A group is a counter and
//! never becomes pairs: `exclusive` of a thousand classes has a thousand members.
//!
//! Invariant: no literal occurs twice in a guard or among the members.

use crate::label::Labels;
use crate::name::Quoted;
use crate::rule::{Literal, Rule};
use std::fmt;

/// The position of a requirement in its program, from 0, in the order written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequirementId(u32);

impl RequirementId {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a program holds fewer than 2³² requirements"))
    }

    /// The position, for indexing.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is required where the guard of a requirement holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// At least one of these literals holds; without any, the guard itself must not hold.
    Any(Box<[Literal]>),
    /// So many of these literals hold.
    Count {
        /// At least.
        least: u32,
        /// At most; the number of members if there is no such bound.
        most: u32,
        /// The literals that are counted.
        members: Box<[Literal]>,
    },
}

/// One requirement: where the whole guard holds, the claim holds.
///
/// ```
/// use rulebound_core::{Labels, Literal, Requirement};
/// let labels = Labels::new(["car", "truck", "bus"])?;
/// let members = labels.ids().map(Literal::positive);
/// let requirement = Requirement::count([], 0, 1, members);
/// assert_eq!(requirement.display(&labels).to_string(), "exclusive(car, truck, bus)");
/// assert!(!requirement.holds(&[true, false, true]));
/// # Ok::<(), rulebound_core::LabelError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Requirement {
    guard: Box<[Literal]>,
    claim: Claim,
}

/// The literals without those that occurred before.
fn distinct(literals: impl IntoIterator<Item = Literal>) -> Box<[Literal]> {
    let mut seen = std::collections::HashSet::new();
    literals.into_iter().filter(|&literal| seen.insert(literal)).collect()
}

impl Requirement {
    /// A clause: where the whole guard holds, at least one of `literals` does. Literals that occur
    /// twice are kept once.
    pub fn any(
        guard: impl IntoIterator<Item = Literal>,
        literals: impl IntoIterator<Item = Literal>,
    ) -> Self {
        Self { guard: distinct(guard), claim: Claim::Any(distinct(literals)) }
    }

    /// A rule as a clause: its head, or something of its body that does not hold.
    pub fn of_rule(rule: &Rule) -> Self {
        let denied = rule.body().iter().map(|&literal| !literal);
        Self::any([], denied.chain([Literal::positive(rule.head())]))
    }

    /// A group: where the whole guard holds, at least `least` and at most `most` of the members do.
    /// Literals that occur twice are kept once, and a bound past the number of members is that number;
    /// at least one, and no other bound, is a clause; bounds that nothing meets forbid the guard.
    pub fn count(
        guard: impl IntoIterator<Item = Literal>,
        least: u32,
        most: u32,
        members: impl IntoIterator<Item = Literal>,
    ) -> Self {
        let members = distinct(members);
        let size = u32::try_from(members.len()).unwrap_or(u32::MAX);
        if least == 1 && most >= size {
            return Self { guard: distinct(guard), claim: Claim::Any(members) };
        }
        let most = most.min(size);
        if least > most {
            return Self { guard: distinct(guard), claim: Claim::Any(Box::new([])) };
        }
        Self { guard: distinct(guard), claim: Claim::Count { least, most, members } }
    }

    /// The same with other literals in the place of its own.
    #[must_use]
    pub fn map(&self, literal: impl Fn(Literal) -> Literal) -> Self {
        let guard = self.guard.iter().map(|&one| literal(one));
        let members = self.members().iter().map(|&one| literal(one));
        match &self.claim {
            Claim::Any(_) => Self::any(guard, members),
            Claim::Count { least, most, .. } => Self::count(guard, *least, *most, members),
        }
    }

    /// The literals that must all hold for the claim to be required.
    pub fn guard(&self) -> &[Literal] {
        &self.guard
    }

    /// What is required there.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The literals of the claim.
    pub fn members(&self) -> &[Literal] {
        match &self.claim {
            Claim::Any(members) | Claim::Count { members, .. } => members,
        }
    }

    /// All literals, of guard and claim.
    pub fn literals(&self) -> impl Iterator<Item = Literal> + '_ {
        self.guard.iter().chain(self.members()).copied()
    }

    /// The number of members of a group; `None` for a clause.
    pub fn group_size(&self) -> Option<usize> {
        matches!(self.claim, Claim::Count { .. }).then(|| self.members().len())
    }

    /// Whether it holds when exactly the labels marked in `predicted` hold.
    pub fn holds(&self, predicted: &[bool]) -> bool {
        if !self.guard.iter().all(|literal| literal.holds(predicted)) {
            return true;
        }
        match &self.claim {
            Claim::Any(literals) => literals.iter().any(|literal| literal.holds(predicted)),
            Claim::Count { least, most, members } => {
                let held = members.iter().filter(|literal| literal.holds(predicted)).count();
                (*least as usize..=*most as usize).contains(&held)
            }
        }
    }

    /// Whether it only excludes: a prediction that it allows stays allowed whatever classes are left out.
    ///
    /// ```
    /// use rulebound_core::Program;
    /// let program: Program = "exclusive(a, b)\nc -> a | b".parse()?;
    /// let [groups, clause] = program.requirements() else { unreachable!() };
    /// assert!(groups.only_excludes() && !clause.only_excludes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn only_excludes(&self) -> bool {
        self.guard.iter().all(|literal| !literal.is_negated())
            && match &self.claim {
                Claim::Any(literals) => literals.iter().all(|literal| literal.is_negated()),
                Claim::Count { least, members, .. } => {
                    *least == 0 && members.iter().all(|member| !member.is_negated())
                }
            }
    }

    /// The requirement as the rule language writes it.
    pub fn display<'a>(&'a self, labels: &'a Labels) -> impl fmt::Display + 'a {
        Named { requirement: self, labels }
    }
}

struct Named<'a> {
    requirement: &'a Requirement,
    labels: &'a Labels,
}

impl Named<'_> {
    fn list(&self, literals: &[Literal], between: &str) -> String {
        let names = literals.iter().map(|literal| {
            let not = if literal.is_negated() { "not " } else { "" };
            format!("{not}{}", Quoted(self.labels.name(literal.label())))
        });
        names.collect::<Vec<_>>().join(between)
    }
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Requirement { guard, claim } = self.requirement;
        let guarded = self.list(guard, ", ");
        let space = if guard.is_empty() { "" } else { " " };
        match claim {
            Claim::Any(literals) if literals.is_empty() => write!(f, "not ({guarded})"),
            // Without an arrow, a single name would be nothing, and with one a fact.
            Claim::Any(literals) if literals.len() == 1 && !literals[0].is_negated() => {
                let only = self.list(literals, "");
                write!(f, "{guarded}{space}-> at least 1 of({only})")
            }
            Claim::Any(literals) if guard.is_empty() && literals.len() > 1 => {
                f.write_str(&self.list(literals, " | "))
            }
            Claim::Any(literals) => {
                write!(f, "{guarded}{space}-> {}", self.list(literals, " | "))
            }
            Claim::Count { least, most, members } => {
                let arrow = if guard.is_empty() { "" } else { " -> " };
                let size = members.len();
                let what = match (*least, *most as usize) {
                    (0, 1) => "exclusive".to_owned(),
                    (1, 1) => "one of".to_owned(),
                    (0, most) => format!("at most {most} of"),
                    (least, most) if most == size => format!("at least {least} of"),
                    (least, most) if most == least as usize => format!("exactly {least} of"),
                    (least, most) => format!("between {least} and {most} of"),
                };
                write!(f, "{guarded}{arrow}{what}({})", self.list(members, ", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::LabelId;

    fn literals<const N: usize>() -> [Literal; N] {
        std::array::from_fn(|i| Literal::positive(LabelId::new(i)))
    }

    #[test]
    fn each_form_is_written_as_the_language_writes_it() {
        let labels = Labels::new(["a", "b", "c", "d e"]).unwrap();
        let [a, b, c, d] = literals();
        for (requirement, text) in [
            (Requirement::any([a], [!b]), "a -> not b"),
            (Requirement::any([a, !b], []), "not (a, not b)"),
            (Requirement::any([], [a, b]), "a | b"),
            (Requirement::any([], [!a]), "-> not a"),
            (Requirement::any([a], [b, c]), "a -> b | c"),
            (Requirement::any([a], [b]), "a -> at least 1 of(b)"),
            (Requirement::count([], 0, 1, [a, b, d]), "exclusive(a, b, \"d e\")"),
            (Requirement::count([a], 1, 1, [b, c]), "a -> one of(b, c)"),
            (Requirement::count([], 0, 2, [a, b, c]), "at most 2 of(a, b, c)"),
            (Requirement::count([], 2, 9, [a, b, c]), "at least 2 of(a, b, c)"),
        ] {
            assert_eq!(requirement.display(&labels).to_string(), text);
        }
    }

    #[test]
    fn a_guard_that_does_not_hold_requires_nothing() {
        let [a, b, c] = literals();
        let one = Requirement::count([a], 1, 1, [b, c]);
        assert!(one.holds(&[false, true, true]) && one.holds(&[true, false, true]));
        assert!(!one.holds(&[true, true, true]) && !one.holds(&[true, false, false]));
        assert!(!Requirement::any([a], []).holds(&[true]));
    }
}
