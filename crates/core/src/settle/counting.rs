//! Clauses that follow because classes can be counted: more must hold than there is room for.
//!
//! Every clause and every bound of a group says that at least some number of literals hold. Such
//! statements are added up; of a literal and its negation only one can count. If they ask for more than
//! that leaves, their guards cannot all hold. Ten pigeons in nine holes are refuted so in one step,
//! where a solver that learns clauses needs a number of steps that grows exponentially.

use super::derived::Derived;
use super::knowledge::{Form, Source, clause, clause_of_rule, form};
use crate::requirement::{Claim, Requirement};
use crate::rule::{Literal, Rule};
use std::collections::{BTreeMap, BTreeSet};

/// The most literals that are looked at.
const LITERALS: usize = 5_000_000;

/// A guard is looked at if it is that of a group, or of so many clauses.
const CLAUSES: usize = 3;

/// At least so many of these literals hold, where the guard does.
#[derive(Clone)]
struct Bound {
    guard: Vec<u32>,
    literals: Vec<u32>,
    least: usize,
    source: Source,
}

impl Bound {
    /// What it asks for where `guard` holds; `None` if it asks for nothing there.
    fn under(&self, guard: &[u32]) -> Option<Self> {
        let holds = |literal: u32| guard.contains(&literal);
        if !self.guard.iter().all(|&literal| holds(literal)) {
            return None;
        }
        let fails = |literal: &&u32| holds(*literal ^ 1);
        let mut used = self.guard.clone();
        used.extend(self.literals.iter().filter(fails).map(|literal| literal ^ 1));
        let mut left = self.literals.clone();
        left.retain(|literal| !fails(&literal));
        Some(Self { guard: used, literals: left, ..*self })
    }
}

fn codes(literals: &[Literal], flip: u32) -> Vec<u32> {
    literals.iter().map(|literal| literal.code() ^ flip).collect()
}

fn guard_of(requirement: &Requirement) -> Vec<u32> {
    let mut guard = codes(requirement.guard(), 0);
    guard.sort_unstable();
    guard
}

fn bounds(rules: &[Rule], requirements: &[Requirement]) -> Vec<Bound> {
    let of_rule = |(source, rule): (Source, &Rule)| (source, clause_of_rule(rule));
    let of_requirement = |(source, requirement): (Source, &Requirement)| match form(requirement) {
        Form::Clause(clause) => (source, clause),
        Form::Group => (source, None),
    };
    let first = rules.len() as Source;
    let clauses = (0..).zip(rules).map(of_rule);
    let clauses = clauses.chain((first..).zip(requirements).map(of_requirement));
    let of_clause = |(source, literals): (Source, Option<Vec<u32>>)| {
        Some(Bound { guard: Vec::new(), literals: literals?, least: 1, source })
    };
    let mut bounds: Vec<Bound> = clauses.filter_map(of_clause).collect();
    for (source, requirement) in (first..).zip(requirements) {
        let Claim::Count { least, most, members } = requirement.claim() else { continue };
        let mut push = |literals: Vec<u32>, least: usize| {
            if least > 0 {
                bounds.push(Bound { guard: guard_of(requirement), literals, least, source });
            }
        };
        push(codes(members, 0), *least as usize);
        push(codes(members, 1), members.len().saturating_sub(*most as usize));
    }
    bounds
}

/// No guard, those of groups, and those of several clauses.
fn guards(requirements: &[Requirement]) -> BTreeSet<Vec<u32>> {
    let mut times: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    for requirement in requirements {
        let weight = if requirement.group_size().is_some() { CLAUSES } else { 1 };
        *times.entry(guard_of(requirement)).or_default() += weight;
    }
    times.insert(Vec::new(), CLAUSES);
    times.retain(|_, times| *times >= CLAUSES);
    times.into_keys().collect()
}

/// Statements added up: how often each literal occurs, and how many of all must hold.
#[derive(Default)]
struct Sum {
    times: BTreeMap<u32, [i64; 2]>,
    least: i64,
    /// How many of all can hold.
    room: i64,
}

impl Sum {
    /// Adds a statement (`sign` 1), or takes it out (−1).
    fn add(&mut self, bound: &Bound, sign: i64) {
        for &literal in &bound.literals {
            let times = self.times.entry(literal >> 1).or_default();
            self.room -= times[0].max(times[1]);
            times[literal as usize & 1] += sign;
            self.room += times[0].max(times[1]);
        }
        self.least += sign * bound.least as i64;
    }

    /// How much less is asked for than there is room: negative if that is impossible.
    fn slack(&self) -> i64 {
        self.room - self.least
    }

    /// By how much taking a statement out changes that.
    fn change_without(&self, bound: &Bound) -> i64 {
        let mut change = bound.least as i64;
        for &literal in &bound.literals {
            let times = self.times.get(&(literal >> 1)).copied().unwrap_or_default();
            let mut without = times;
            without[literal as usize & 1] -= 1;
            change += without[0].max(without[1]) - times[0].max(times[1]);
        }
        change
    }
}

/// Adds the clauses that are found so to `derived`: of each guard that occurs, and of no guard, that it
/// cannot hold. The empty clause says that nothing satisfies everything.
pub(super) fn derive(
    classes: usize,
    rules: &[Rule],
    requirements: &[Requirement],
    derived: &mut Derived,
) {
    // Without counters nothing is counted that clauses do not say themselves.
    if !requirements.iter().any(|requirement| requirement.group_size().is_some()) {
        return;
    }
    let bounds = bounds(rules, requirements);
    let size: usize = bounds.iter().map(|bound| bound.literals.len()).sum();
    let mut budget = LITERALS;
    let mut found: BTreeSet<Vec<u32>> = BTreeSet::new();
    for guard in guards(requirements) {
        let Some(left) = budget.checked_sub(size + classes) else { return };
        budget = left;
        let asks: Vec<Bound> = bounds.iter().filter_map(|bound| bound.under(&guard)).collect();
        for part in parts(classes, &asks) {
            let Some(used) = impossible(part, &mut budget) else { continue };
            let guards = used.iter().flat_map(|bound| &bound.guard);
            let denied = guards.map(|&literal| Literal::from_code(literal ^ 1));
            let Some(clause) = clause(denied) else { continue };
            let mut sources: Vec<Source> = used.iter().map(|bound| bound.source).collect();
            sources.sort_unstable();
            sources.dedup();
            if found.insert(clause.clone()) {
                derived.push(clause, sources);
            }
        }
    }
}

/// The statements that have classes in common with each other.
fn parts(classes: usize, bounds: &[Bound]) -> Vec<Vec<&Bound>> {
    let mut leaders: Vec<u32> = (0..classes as u32).collect();
    fn leader(leaders: &mut [u32], mut class: u32) -> u32 {
        while leaders[class as usize] != class {
            leaders[class as usize] = leaders[leaders[class as usize] as usize];
            class = leaders[class as usize];
        }
        class
    }
    for bound in bounds {
        let Some(&first) = bound.literals.first() else { continue };
        for &literal in &bound.literals {
            let (a, b) = (leader(&mut leaders, first >> 1), leader(&mut leaders, literal >> 1));
            leaders[b as usize] = a;
        }
    }
    let mut parts: BTreeMap<u32, Vec<&Bound>> = BTreeMap::new();
    for bound in bounds {
        let first = bound.literals.first().map(|&first| leader(&mut leaders, first >> 1));
        parts.entry(first.unwrap_or(u32::MAX)).or_default().push(bound);
    }
    parts.into_values().collect()
}

/// Some of the statements that ask for more than there is room, if that is found by leaving out one
/// after the other, as long as that makes less room.
fn impossible<'a>(bounds: Vec<&'a Bound>, budget: &mut usize) -> Option<Vec<&'a Bound>> {
    if bounds.len() < 2 {
        return None;
    }
    let mut sum = Sum::default();
    bounds.iter().for_each(|bound| sum.add(bound, 1));
    let mut left = bounds;
    loop {
        let before = left.len();
        let is_found = sum.slack() < 0;
        // What makes most room goes first.
        let mut changes: Vec<(i64, &Bound)> =
            left.iter().map(|&bound| (sum.change_without(bound), bound)).collect();
        changes.sort_by_key(|(change, _)| *change);
        let mut kept = Vec::with_capacity(before);
        for (_, bound) in changes {
            *budget = budget.saturating_sub(2 * bound.literals.len());
            let change = sum.change_without(bound);
            // Once it is found, whatever is not needed for it is left out.
            let goes = match is_found {
                true => sum.slack() + change < 0,
                false => change <= 0 && sum.slack() >= 0,
            };
            if goes {
                sum.add(bound, -1);
            } else {
                kept.push(bound);
            }
        }
        left = kept;
        if is_found {
            return Some(left);
        }
        if (left.len() == before && sum.slack() >= 0) || *budget == 0 {
            return None;
        }
    }
}
