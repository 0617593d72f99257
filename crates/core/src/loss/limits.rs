//! Rules and requirements as limits: where its guard holds, at most so many of its members do.
//!
//! A clause is a limit without a guard: not all of its literals fail. A group with two bounds is two
//! limits, because so many literals hold at least if so many of their negations hold at most.
//!
//! Invariant: no class occurs twice in a limit, and a limit can be broken.

use crate::flat::Flat;
use crate::program::Program;
use crate::requirement::{Claim, Requirement};
use crate::rule::Literal;
use std::collections::HashSet;

/// A limit: its literals are `start..middle` (the guard) and `middle..end` (the members).
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    start: u32,
    middle: u32,
    end: u32,
    pub most: u32,
}

/// Where a class occurs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub limit: u32,
    pub is_negated: bool,
    pub is_member: bool,
}

/// The literals without those that occurred before.
fn distinct(literals: impl Iterator<Item = Literal>) -> Vec<Literal> {
    let mut seen = HashSet::new();
    literals.filter(|&literal| seen.insert(literal)).collect()
}

/// All limits of a program.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub limits: Vec<Limit>,
    literals: Vec<u32>,
    /// For each class, the limits in which it occurs.
    pub uses: Flat<Use>,
}

impl Limits {
    /// Those of the rules and of the requirements.
    pub fn new(program: &Program) -> Self {
        let mut limits = Self {
            limits: Vec::new(),
            literals: Vec::new(),
            uses: Flat::new(program.labels().len(), Vec::new()),
        };
        for rule in program.rules() {
            limits.push_requirement(&Requirement::of_rule(rule));
        }
        for requirement in program.requirements() {
            limits.push_requirement(requirement);
        }
        let mut uses = Vec::with_capacity(limits.literals.len());
        for (limit, at) in (0u32..).zip(&limits.limits) {
            for place in at.start..at.end {
                let code = limits.literals[place as usize];
                let is_member = place >= at.middle;
                uses.push((code >> 1, Use { limit, is_negated: code & 1 == 1, is_member }));
            }
        }
        limits.uses = Flat::new(program.labels().len(), uses);
        limits
    }

    fn push_requirement(&mut self, requirement: &Requirement) {
        let guard = requirement.guard();
        match requirement.claim() {
            Claim::Any(literals) => {
                let members =
                    distinct(literals.iter().map(|&one| !one).chain(guard.iter().copied()));
                let most = members.len() as i64 - 1;
                self.push(&[], &members, most);
            }
            Claim::Count { least, most, members } => {
                self.push(guard, members, i64::from(*most));
                let negated: Vec<Literal> = members.iter().map(|&one| !one).collect();
                self.push(guard, &negated, members.len() as i64 - i64::from(*least));
            }
        }
    }

    /// At most `most` of the members where the guard holds, brought into the form of the invariant.
    fn push(&mut self, guard: &[Literal], members: &[Literal], mut most: i64) {
        let granted: HashSet<Literal> = guard.iter().copied().collect();
        if guard.iter().any(|&literal| granted.contains(&!literal)) {
            return;
        }
        let all: HashSet<Literal> = members.iter().copied().collect();
        let mut kept = Vec::with_capacity(members.len());
        for &literal in members {
            if all.contains(&!literal) {
                // One of the two holds.
                most -= i64::from(literal.is_negated());
            } else if granted.contains(&literal) {
                most -= 1;
            } else if !granted.contains(&!literal) {
                kept.push(literal);
            }
        }
        if most >= kept.len() as i64 {
            return;
        }
        match u32::try_from(most) {
            Ok(most) => self.store(guard, &kept, most),
            // The guard itself is what must not hold.
            Err(_) if !guard.is_empty() => self.store(&[], guard, guard.len() as u32 - 1),
            Err(_) => {}
        }
    }

    fn store(&mut self, guard: &[Literal], members: &[Literal], most: u32) {
        let start = self.literals.len() as u32;
        self.literals.extend(guard.iter().chain(members).map(|literal| literal.code()));
        let (middle, end) = (start + guard.len() as u32, self.literals.len() as u32);
        self.limits.push(Limit { start, middle, end, most });
    }

    /// The literals of the guard of a limit.
    pub fn guard(&self, limit: &Limit) -> &[u32] {
        &self.literals[limit.start as usize..limit.middle as usize]
    }

    /// Its members.
    pub fn members(&self, limit: &Limit) -> &[u32] {
        &self.literals[limit.middle as usize..limit.end as usize]
    }

    /// About how many numbers one row touches.
    pub fn cost(&self) -> usize {
        6 * self.literals.len() + 16 * self.uses.lists()
    }
}
