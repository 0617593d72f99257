//! Requirements that are valid and add nothing.

use super::following::Following;
use crate::program::Program;
use crate::requirement::{Claim, Requirement, RequirementId};
use crate::rule::{Literal, Rule, RuleId};
use crate::settle::Stopped;
use std::collections::HashSet;
use std::fmt;

/// One superfluous requirement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequirementLint {
    /// The requirement.
    pub requirement: RequirementId,
    /// Why it adds nothing.
    pub kind: RequirementLintKind,
}

/// Why a requirement adds nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum RequirementLintKind {
    /// Every prediction satisfies it.
    AlwaysHolds,
    /// An earlier requirement says the same, or another says more.
    Subsumed { by: RequirementId },
    /// A rule says as much.
    SubsumedByRule { by: RuleId },
    /// It follows from the others together.
    Implied {
        /// The rules it follows from.
        rules: Vec<RuleId>,
        /// The requirements it follows from.
        requirements: Vec<RequirementId>,
    },
}

impl RequirementLintKind {
    /// A short name for programs that read the output.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlwaysHolds => "always-holds",
            Self::Subsumed { .. } | Self::SubsumedByRule { .. } => "subsumed",
            Self::Implied { .. } => "implied",
        }
    }
}

/// The lints of requirements, in their order.
#[derive(Clone, Debug, Default)]
pub struct RequirementLints {
    /// The lints.
    pub lints: Vec<RequirementLint>,
    /// Whether the search was cut short.
    pub incomplete: bool,
}

/// The maximum number of pairs that are compared.
const COMPARISONS: usize = 20_000_000;

/// Finds requirements that add nothing; with `deep`, also those that follow from several others.
///
/// ```
/// use rulebound_core::{Program, lint_requirements};
/// let program: Program = "exclusive(a, b, c)\na -> not c".parse()?;
/// let found = lint_requirements(&program, false);
/// assert_eq!(found.lints[0].kind.code(), "subsumed");
/// # Ok::<(), rulebound_core::RuleErrors>(())
/// ```
pub fn lint_requirements(program: &Program, deep: bool) -> RequirementLints {
    let mut found = RequirementLints::default();
    let mut budget = COMPARISONS;
    let mut superfluous = vec![false; program.requirements().len()];
    for id in program.requirement_ids() {
        if let Some(kind) = shallow(program, id, &superfluous, &mut budget) {
            superfluous[id.index()] = true;
            found.lints.push(RequirementLint { requirement: id, kind });
        }
    }
    found.incomplete = budget == 0;
    if deep {
        let following = Following::new(program);
        let mut asked = following.ask(program);
        let kept = |id: RequirementId| !superfluous[id.index()];
        for id in program.requirement_ids().filter(|id| !superfluous[id.index()]) {
            match asked.why(program, id, kept) {
                Ok(Some((rules, requirements))) => {
                    let kind = RequirementLintKind::Implied { rules, requirements };
                    found.lints.push(RequirementLint { requirement: id, kind });
                }
                Ok(None) => {}
                Err(Stopped) => found.incomplete = true,
            }
        }
        found.lints.sort_by_key(|lint| lint.requirement);
    }
    found
}

fn shallow(
    program: &Program,
    id: RequirementId,
    superfluous: &[bool],
    budget: &mut usize,
) -> Option<RequirementLintKind> {
    let one = Bounds::new(program.requirement(id));
    if one.iter().all(Bounds::always_holds) {
        return Some(RequirementLintKind::AlwaysHolds);
    }
    let covered =
        |by: &[Bounds]| one.iter().all(|bounds| by.iter().any(|other| other.covers(bounds)));
    for rule in program.rule_ids() {
        *budget = budget.checked_sub(1)?;
        if covered(&[Bounds::of_rule(program.rule(rule))]) {
            return Some(RequirementLintKind::SubsumedByRule { by: rule });
        }
    }
    for other in program.requirement_ids() {
        *budget = budget.checked_sub(1)?;
        if other == id || superfluous[other.index()] {
            continue;
        }
        let by = Bounds::new(program.requirement(other));
        if covered(&by) {
            // Of two that say the same, the earlier one stays.
            let same = by.iter().all(|bounds| one.iter().any(|other| other.covers(bounds)));
            if !same || other < id {
                return Some(RequirementLintKind::Subsumed { by: other });
            }
        }
    }
    None
}

/// At least `least` of the literals hold, or a literal of the guard does not.
struct Bounds {
    guard: HashSet<Literal>,
    least: usize,
    literals: HashSet<Literal>,
}

impl Bounds {
    /// One for each bound of a requirement: an upper one is a lower one of the negations.
    fn new(requirement: &Requirement) -> Vec<Self> {
        let guard: HashSet<Literal> = requirement.guard().iter().copied().collect();
        match requirement.claim() {
            Claim::Any(literals) => {
                let denied = guard.iter().map(|&literal| !literal);
                let literals = literals.iter().copied().chain(denied).collect();
                vec![Self { guard: HashSet::new(), least: 1, literals }]
            }
            Claim::Count { least, most, members } => {
                let mut bounds = Vec::new();
                if *least > 0 {
                    let literals = members.iter().copied().collect();
                    bounds.push(Self { guard: guard.clone(), least: *least as usize, literals });
                }
                if (*most as usize) < members.len() {
                    let literals = members.iter().map(|&member| !member).collect();
                    bounds.push(Self { guard, least: members.len() - *most as usize, literals });
                }
                bounds
            }
        }
    }

    fn of_rule(rule: &Rule) -> Self {
        let denied = rule.body().iter().map(|&literal| !literal);
        let literals = denied.chain([Literal::positive(rule.head())]).collect();
        Self { guard: HashSet::new(), least: 1, literals }
    }

    fn always_holds(&self) -> bool {
        let pairs = self.literals.iter().filter(|&&literal| self.literals.contains(&!literal));
        let impossible = self.guard.iter().any(|&literal| self.guard.contains(&!literal));
        impossible || pairs.count() / 2 >= self.least
    }

    /// Whether what satisfies this satisfies the other: every literal that is not in it takes one away
    /// from what is left.
    fn covers(&self, other: &Self) -> bool {
        let common = self.literals.intersection(&other.literals).count();
        let left = (self.least + common).saturating_sub(self.literals.len());
        if self.guard.is_subset(&other.guard) && left >= other.least {
            return true;
        }
        // A guard of this one may be among the alternatives of a clause.
        other.least == 1
            && left >= 1
            && self.guard.iter().all(|&literal| {
                other.guard.contains(&literal) || other.literals.contains(&!literal)
            })
    }
}

impl RequirementLint {
    /// The lint as a sentence, in which others are referred to by line where they were read from a text.
    pub fn describe(&self, program: &Program) -> impl fmt::Display {
        match &self.kind {
            RequirementLintKind::AlwaysHolds => {
                "every prediction satisfies it: it requires nothing".to_owned()
            }
            RequirementLintKind::Subsumed { by } => {
                format!("says no more than {}", program.named_lines(&[], &[*by]))
            }
            RequirementLintKind::SubsumedByRule { by } => {
                format!("says no more than {}", program.named_lines(&[*by], &[]))
            }
            RequirementLintKind::Implied { rules, requirements } => {
                format!("follows from {}", program.named_lines(rules, requirements))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(u32, &'static str)> {
        let program: Program = text.parse().unwrap();
        let line = |lint: &RequirementLint| program.requirement_span(lint.requirement).line;
        let found = lint_requirements(&program, true);
        found.lints.iter().map(|lint| (line(lint), lint.kind.code())).collect()
    }

    #[test]
    fn what_adds_nothing_is_found() {
        assert_eq!(codes("a | b\nb | a"), [(2, "subsumed")]);
        assert_eq!(codes("a | b | c\na | b"), [(1, "subsumed")]);
        assert_eq!(codes("a -> b\nnot a | b"), [(2, "subsumed")]);
        assert_eq!(codes("exclusive(a, b)\nexclusive(c, b, a)"), [(1, "subsumed")]);
        assert_eq!(codes("at most 2 of(a, b, c)\nexclusive(c, b, a)"), [(1, "subsumed")]);
        assert_eq!(codes("at least 2 of(a, b, c)\na | b"), [(2, "subsumed")]);
        assert_eq!(codes("at least 2 of(a, b, c)\na | d"), []);
        assert_eq!(codes("g -> exclusive(a, b)\nexclusive(a, b)"), [(1, "subsumed")]);
        assert_eq!(codes("g -> exclusive(a, b)\nnot (a, b, g)"), [(2, "subsumed")]);
        assert_eq!(codes("g -> one of(a, b)\nnot (a, b)"), []);
        assert_eq!(codes("one of(a, b, c)\na | b | c"), [(2, "subsumed")]);
        assert_eq!(codes("at most 3 of(a, b, c)"), [(1, "always-holds")]);
        assert_eq!(codes("a | not a"), [(1, "always-holds")]);
    }

    #[test]
    fn what_follows_from_several_is_found() {
        assert_eq!(codes("a -> b\nb -> not c\na -> not c"), [(3, "implied")]);
        let text = "exclusive(p, q)\na -> p\nb -> q\nexclusive(a, b)";
        assert_eq!(codes(text), [(4, "implied")]);
        assert_eq!(codes("a -> b | c\nb -> d\nc -> d\na -> d | e"), [(4, "implied")]);
        assert_eq!(codes("a -> b | c\nb -> d\na -> d | e"), []);
    }
}
