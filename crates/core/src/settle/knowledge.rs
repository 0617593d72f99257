//! All rules and requirements as clauses and counters, indexed by literal.
//!
//! A clause of two literals is an implication in both directions; a longer one counts its literals
//! that do not hold; a group counts its members on either side and the literals of its guard. What
//! follows from nothing at all (`root`) is found when the knowledge is compiled.

use crate::flat::Flat;
use crate::label::LabelId;
use crate::requirement::{Claim, Requirement};
use crate::rule::{Literal, Rule};

/// What a clause or group comes from: rules first, then requirements, then clauses that were derived.
pub(crate) type Source = u32;

/// What a literal is to a group when it holds, in the two low bits beside the group.
pub(super) const MEMBER_HOLDS: u32 = 0;
pub(super) const MEMBER_FAILS: u32 = 1;
pub(super) const GUARD_HOLDS: u32 = 2;
pub(super) const GUARD_FAILS: u32 = 3;

/// What follows from a literal by a clause of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Implied {
    pub literal: u32,
    pub source: Source,
}

/// A counter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub guard: (u32, u32),
    pub members: (u32, u32),
    pub least: u32,
    pub most: u32,
    pub source: Source,
}

/// Clauses and groups over `classes` classes.
#[derive(Clone, Debug)]
pub(crate) struct Knowledge {
    pub classes: usize,
    /// For each literal, what follows from it.
    pub(super) implied: Flat<Implied>,
    /// For each literal, the clauses of three and more that contain it.
    pub(super) uses: Flat<u32>,
    /// Their literals: clause `c` is `starts[c]..starts[c + 1]`.
    pub(super) clauses: Flat<u32>,
    pub(super) clause_sources: Vec<Source>,
    pub(super) groups: Vec<Group>,
    pub(super) group_literals: Vec<u32>,
    /// For each literal, the groups that change when it holds, and how.
    pub(super) group_uses: Flat<u32>,
    /// Clauses of one literal, and of none.
    pub(super) units: Vec<Implied>,
    pub(super) falsehood: Option<Source>,
}

/// A clause as a sorted list of literals; `None` if it always holds.
pub(super) fn clause(literals: impl IntoIterator<Item = Literal>) -> Option<Vec<u32>> {
    let mut codes: Vec<u32> = literals.into_iter().map(Literal::code).collect();
    codes.sort_unstable();
    codes.dedup();
    // A literal and its negation are neighbours.
    let always = codes.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
    (!always).then_some(codes)
}

/// A rule as a clause: the head, or something of the body that does not hold.
pub(super) fn clause_of_rule(rule: &Rule) -> Option<Vec<u32>> {
    let denied = rule.body().iter().map(|&literal| !literal);
    clause(denied.chain([Literal::positive(rule.head())]))
}

/// What a requirement is: a clause, or a group.
pub(super) enum Form {
    Clause(Option<Vec<u32>>),
    Group,
}

pub(super) fn form(requirement: &Requirement) -> Form {
    match requirement.claim() {
        Claim::Any(literals) => {
            let denied = requirement.guard().iter().map(|&literal| !literal);
            Form::Clause(clause(denied.chain(literals.iter().copied())))
        }
        Claim::Count { .. } => Form::Group,
    }
}

impl Knowledge {
    /// The knowledge of rules and requirements, and of `derived` clauses that follow from them.
    pub fn new(
        classes: usize,
        rules: &[Rule],
        requirements: &[Requirement],
        derived: &[Vec<u32>],
    ) -> Self {
        let first = (rules.len() + requirements.len()) as Source;
        let derived = (first..).zip(derived).map(|(source, clause)| (clause.clone(), source));
        Self::compile(classes, rules, requirements, derived, |_| None)
    }

    /// The same in which each rule and requirement counts only where its [switch](Self::switch) holds, a class
    /// of its own after all others; what was derived comes with what it follows from.
    pub fn switched(
        classes: usize,
        rules: &[Rule],
        requirements: &[Requirement],
        derived: impl Iterator<Item = (Vec<u32>, Vec<Source>)>,
    ) -> Self {
        let written = rules.len() + requirements.len();
        let switch = |source: Source| Self::switch(classes, source);
        let derived = (written as Source..).zip(derived).map(|(source, (mut clause, parents))| {
            clause.extend(parents.into_iter().map(|one| switch(one) ^ 1));
            (clause, source)
        });
        let switched = |source| Some(switch(source));
        Self::compile(classes + written, rules, requirements, derived, switched)
    }

    /// The literal that switches a rule or requirement on.
    pub fn switch(classes: usize, source: Source) -> u32 {
        (classes as u32 + source) << 1
    }

    fn compile(
        variables: usize,
        rules: &[Rule],
        requirements: &[Requirement],
        derived: impl Iterator<Item = (Vec<u32>, Source)>,
        switch: impl Fn(Source) -> Option<u32>,
    ) -> Self {
        let mut clauses: Vec<(Vec<u32>, Source)> = Vec::new();
        let mut groups = Vec::new();
        let mut group_literals = Vec::new();
        let mut add = |clause: Option<Vec<u32>>, source: Source| {
            let Some(mut clause) = clause else { return };
            clause.extend(switch(source).map(|on| on ^ 1));
            clauses.push((clause, source));
        };
        for (source, rule) in (0..).zip(rules) {
            add(clause_of_rule(rule), source);
        }
        let first = rules.len() as Source;
        for (source, requirement) in (first..).zip(requirements) {
            match (form(requirement), requirement.claim()) {
                (Form::Clause(clause), _) => add(clause, source),
                (Form::Group, Claim::Count { least, most, members }) => {
                    let start = group_literals.len() as u32;
                    group_literals.extend(requirement.guard().iter().map(|l| l.code()));
                    group_literals.extend(switch(source));
                    let middle = group_literals.len() as u32;
                    group_literals.extend(members.iter().map(|l| l.code()));
                    let end = group_literals.len() as u32;
                    let (guard, members) = ((start, middle), (middle, end));
                    groups.push(Group { guard, members, least: *least, most: *most, source });
                }
                (Form::Group, Claim::Any(_)) => {}
            }
        }
        clauses.extend(derived);
        Self::of_parts(variables, clauses, groups, group_literals)
    }

    fn of_parts(
        classes: usize,
        clauses: Vec<(Vec<u32>, Source)>,
        groups: Vec<Group>,
        group_literals: Vec<u32>,
    ) -> Self {
        let literals = 2 * classes;
        let mut units = Vec::new();
        let mut falsehood = None;
        let mut implied = Vec::new();
        let mut long = Vec::new();
        let mut clause_sources = Vec::new();
        for (clause, source) in &clauses {
            match &clause[..] {
                [] => falsehood = falsehood.or(Some(*source)),
                &[literal] => units.push(Implied { literal, source: *source }),
                &[a, b] => {
                    implied.push((a ^ 1, Implied { literal: b, source: *source }));
                    implied.push((b ^ 1, Implied { literal: a, source: *source }));
                }
                more => {
                    let at = clause_sources.len() as u32;
                    long.extend(more.iter().map(|&literal| (at, literal)));
                    clause_sources.push(*source);
                }
            }
        }
        let uses = long.iter().map(|&(clause, literal)| (literal, clause)).collect();
        let mut group_uses = Vec::new();
        for (at, group) in (0u32..).zip(&groups) {
            for (range, holds, fails) in [
                (group.members, MEMBER_HOLDS, MEMBER_FAILS),
                (group.guard, GUARD_HOLDS, GUARD_FAILS),
            ] {
                for &literal in &group_literals[range.0 as usize..range.1 as usize] {
                    group_uses.push((literal, at << 2 | holds));
                    group_uses.push((literal ^ 1, at << 2 | fails));
                }
            }
        }
        Self {
            classes,
            implied: Flat::new(literals, implied),
            uses: Flat::new(literals, uses),
            clauses: Flat::new(clause_sources.len(), long),
            clause_sources,
            groups,
            group_literals,
            group_uses: Flat::new(literals, group_uses),
            units,
            falsehood,
        }
    }

    pub(super) fn guard(&self, group: u32) -> &[u32] {
        let (start, end) = self.groups[group as usize].guard;
        &self.group_literals[start as usize..end as usize]
    }

    pub(super) fn members(&self, group: u32) -> &[u32] {
        let (start, end) = self.groups[group as usize].members;
        &self.group_literals[start as usize..end as usize]
    }

    /// About how many numbers one row touches.
    pub fn cost(&self) -> usize {
        16 * self.classes + self.implied.len() + 2 * self.uses.len() + 2 * self.group_uses.len()
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = LabelId> + use<> {
        (0..self.classes).map(LabelId::new)
    }
}
