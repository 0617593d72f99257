//! Clauses that follow from the others and that propagation alone does not see.
//!
//! Where propagation finds every consequence of any assumptions, no trial of the search fails. All
//! clauses of two literals are of that kind, and so is a single group. Otherwise all prime implicates
//! are computed by Tison's method, with a limit, and those that propagation does not find are added.
//! Each connected part is looked at by itself.

use super::SearchNeed;
use super::knowledge::{Form, Knowledge, Source, clause_of_rule, form};
use super::search::Search;
use super::trail::HOLDS;
use crate::requirement::{Claim, Requirement};
use crate::rule::{Literal, Rule};

/// The maximum number of clauses of a part.
const CLAUSES: usize = 5_000;

/// The maximum of the literals of its clauses times its classes.
const WORK: usize = 500_000_000;

/// A clause, sorted, and what it follows from.
type Sourced = (Vec<u32>, Vec<Source>);

/// What the rules and requirements of a connected part are.
#[derive(Default)]
struct Part {
    clauses: Vec<Sourced>,
    /// Groups that are more than clauses of two literals.
    groups: Vec<Source>,
    /// Groups that are clauses of two literals, and are counted all the same.
    pairs: Vec<Source>,
    is_horn: bool,
    is_dual_horn: bool,
}

impl Part {
    /// Whether this is a single group in which no class occurs twice.
    fn is_one_group(&self, rules: usize, requirements: &[Requirement]) -> bool {
        let [group] = self.groups[..] else { return false };
        let mut classes = std::collections::HashSet::new();
        self.pairs.is_empty()
            && requirements[group as usize - rules]
                .literals()
                .all(|one| classes.insert(one.label()))
    }
}

/// Whether rows can need search, and the implicates without which they could, found with at most so
/// many comparisons of clauses. `None` if nothing satisfies them all.
pub(super) fn find(
    classes: usize,
    rules: &[Rule],
    requirements: &[Requirement],
    probed: bool,
    comparisons: usize,
) -> Option<(SearchNeed, Vec<Sourced>)> {
    let mut need = if probed { SearchNeed::Closed } else { SearchNeed::Never };
    let mut found = Vec::new();
    for part in parts(classes, rules, requirements) {
        let is_short = part.clauses.iter().all(|(clause, _)| clause.len() <= 2);
        if (is_short && part.groups.is_empty())
            || (part.clauses.is_empty() && part.is_one_group(rules.len(), requirements))
        {
            continue;
        }
        match expanded(&part, rules.len(), requirements)
            .and_then(|clauses| prime_implicates(clauses, comparisons))
        {
            Some(primes) if primes.iter().any(|(clause, _)| clause.is_empty()) => return None,
            Some(primes) => found.extend(primes),
            None if (part.is_horn || part.is_dual_horn) && need != SearchNeed::Unknown => {
                need = SearchNeed::Never;
            }
            None => need = SearchNeed::Unknown,
        }
    }
    found.sort_by_key(|(clause, _)| clause.len());
    Some((need, found))
}

/// Whether propagation finds each literal of a clause once the others are denied.
pub(super) fn is_absorbed(clause: &[u32], knowledge: &Knowledge, search: &mut Search) -> bool {
    let is_absorbed = (0..clause.len()).all(|last| {
        let denied = clause.iter().enumerate().filter(|(at, _)| *at != last);
        let denied: Vec<u32> = denied.map(|(_, &literal)| literal ^ 1).collect();
        !search.assume_all(knowledge, &denied) || search.trail.holds[clause[last] as usize] == HOLDS
    });
    search.forget(knowledge);
    is_absorbed
}

fn parts(classes: usize, rules: &[Rule], requirements: &[Requirement]) -> Vec<Part> {
    let mut leaders: Vec<u32> = (0..classes as u32).collect();
    fn leader(leaders: &mut [u32], mut class: u32) -> u32 {
        while leaders[class as usize] != class {
            leaders[class as usize] = leaders[leaders[class as usize] as usize];
            class = leaders[class as usize];
        }
        class
    }
    let mut join = |classes: &mut dyn Iterator<Item = u32>| {
        let Some(first) = classes.next() else { return };
        for class in classes {
            let (a, b) = (leader(&mut leaders, first), leader(&mut leaders, class));
            leaders[b as usize] = a;
        }
    };
    for rule in rules {
        let body = rule.body().iter().map(|literal| literal.code() >> 1);
        join(&mut body.chain([rule.head().index() as u32]));
    }
    for requirement in requirements {
        join(&mut requirement.literals().map(|literal| literal.code() >> 1));
    }
    let mut parts: std::collections::BTreeMap<u32, Part> = std::collections::BTreeMap::new();
    let new = || Part { is_horn: true, is_dual_horn: true, ..Part::default() };
    let mut add = |clause: Vec<u32>, source: Source, leaders: &mut [u32]| {
        let Some(&first) = clause.first() else { return };
        let part = parts.entry(leader(leaders, first >> 1)).or_insert_with(new);
        let negated = clause.iter().filter(|&&literal| literal & 1 == 1).count();
        part.is_horn &= clause.len() - negated <= 1;
        part.is_dual_horn &= negated <= 1;
        part.clauses.push((clause, vec![source]));
    };
    for (source, rule) in (0..).zip(rules) {
        if let Some(clause) = clause_of_rule(rule) {
            add(clause, source, &mut leaders);
        }
    }
    for (source, requirement) in (rules.len() as Source..).zip(requirements) {
        if let Form::Clause(Some(clause)) = form(requirement) {
            add(clause, source, &mut leaders);
        }
    }
    for (source, requirement) in (rules.len() as Source..).zip(requirements) {
        let Claim::Count { least, most, members } = requirement.claim() else { continue };
        let Some(first) = requirement.literals().next() else { continue };
        let part = parts.entry(leader(&mut leaders, first.code() >> 1)).or_insert_with(new);
        if requirement.guard().is_empty() && *least == 0 && *most == 1 {
            part.pairs.push(source);
        } else {
            part.groups.push(source);
        }
        let plain = members.iter().all(|member| !member.is_negated());
        let negated = requirement.guard().iter().filter(|literal| literal.is_negated()).count();
        let positive = requirement.guard().len() - negated;
        part.is_horn &= plain && *least == 0 && negated <= 1;
        let all = *most as usize >= members.len();
        part.is_dual_horn &= plain && all && positive <= 1;
    }
    parts.into_values().collect()
}

/// All clauses of a part, those of its groups among them; `None` past the limit.
fn expanded(part: &Part, rules: usize, requirements: &[Requirement]) -> Option<Vec<Sourced>> {
    let groups = part.groups.iter().chain(&part.pairs).copied();
    expand(part.clauses.clone(), groups, rules, requirements, CLAUSES)
}

/// The maximum number of literals of the clauses of groups.
const LITERALS: usize = 10_000_000;

/// Adds the clauses of groups, by their sources.
fn expand(
    mut clauses: Vec<Sourced>,
    groups: impl Iterator<Item = Source>,
    rules: usize,
    requirements: &[Requirement],
    most_clauses: usize,
) -> Option<Vec<Sourced>> {
    let mut left = LITERALS;
    for source in groups {
        let requirement = &requirements[source as usize - rules];
        let Claim::Count { least, most, members } = requirement.claim() else { continue };
        let guard: Vec<Literal> = requirement.guard().iter().map(|&literal| !literal).collect();
        let size = members.len();
        let mut push = |chosen: &[Literal]| {
            let literals = guard.iter().chain(chosen).copied();
            clauses.extend(super::knowledge::clause(literals).map(|c| (c, vec![source])));
            left = left.checked_sub(guard.len() + chosen.len())?;
            (clauses.len() <= most_clauses).then_some(())
        };
        let denied: Vec<Literal> = members.iter().map(|&member| !member).collect();
        if (*most as usize) < size {
            choose(&denied, *most as usize + 1, &mut push)?;
        }
        match size.checked_sub(*least as usize) {
            None => push(&[])?,
            Some(_) if *least == 0 => {}
            Some(spare) => choose(members, spare + 1, &mut push)?,
        }
    }
    (clauses.len() <= most_clauses).then_some(clauses)
}

/// Every choice of `count` of the literals, in order.
fn choose(
    from: &[Literal],
    count: usize,
    push: &mut impl FnMut(&[Literal]) -> Option<()>,
) -> Option<()> {
    let mut places: Vec<usize> = (0..count).collect();
    let mut chosen: Vec<Literal> = from[..count].to_vec();
    loop {
        push(&chosen)?;
        // The last place that can move on; those after it follow closely.
        let Some(last) = (0..count).rev().find(|&at| places[at] + count < from.len() + at) else {
            return Some(());
        };
        let next = places[last] + 1;
        for at in last..count {
            places[at] = next + at - last;
            chosen[at] = from[places[at]];
        }
    }
}

/// One bit for each literal, modulo 64: a clause can be inside another only if its bits are.
fn signature(clause: &[u32]) -> u64 {
    clause.iter().fold(0, |bits, literal| bits | 1 << (literal % 64))
}

fn is_inside(smaller: &[u32], larger: &[u32]) -> bool {
    smaller.len() <= larger.len()
        && smaller.iter().all(|literal| larger.binary_search(literal).is_ok())
}

/// A set of clauses none of which is inside another.
struct Clauses {
    clauses: Vec<(u64, Sourced)>,
    budget: usize,
}

impl Clauses {
    /// Adds a clause unless another is inside it; removes those that it is inside.
    fn add(&mut self, clause: Sourced) -> Option<()> {
        let bits = signature(&clause.0);
        self.budget = self.budget.checked_sub(self.clauses.len() + 1)?;
        let covers = |(b, c): &(u64, Sourced)| b & !bits == 0 && is_inside(&c.0, &clause.0);
        if self.clauses.iter().any(covers) {
            return Some(());
        }
        self.clauses.retain(|(b, c)| bits & !b != 0 || !is_inside(&clause.0, &c.0));
        self.clauses.push((bits, clause));
        (self.clauses.len() <= CLAUSES).then_some(())
    }
}

/// All prime implicates; `None` past the limit.
fn prime_implicates(clauses: Vec<Sourced>, comparisons: usize) -> Option<Vec<Sourced>> {
    let mut set = Clauses { clauses: Vec::new(), budget: comparisons };
    let mut classes: Vec<u32> =
        clauses.iter().flat_map(|(clause, _)| clause.iter().map(|literal| literal >> 1)).collect();
    let literals = classes.len();
    classes.sort_unstable();
    classes.dedup();
    // Clauses of very many classes are resolved as often as they have classes.
    if literals.saturating_mul(classes.len()) > WORK {
        return None;
    }
    for clause in clauses {
        set.add(clause)?;
    }
    for class in classes {
        let with = |set: &Clauses, literal: u32| -> Vec<Sourced> {
            let has = |(_, (clause, _)): &&(u64, Sourced)| clause.binary_search(&literal).is_ok();
            set.clauses.iter().filter(has).map(|(_, clause)| clause.clone()).collect()
        };
        let (affirming, denying) = (with(&set, class << 1), with(&set, class << 1 | 1));
        for one in &affirming {
            for other in &denying {
                set.budget = set.budget.checked_sub(1)?;
                if let Some(resolvent) = resolve_sourced(one, other, class) {
                    set.add(resolvent)?;
                }
            }
        }
    }
    Some(set.clauses.into_iter().map(|(_, clause)| clause).collect())
}

/// What follows from two clauses on both sides of a class; `None` if that always holds.
fn resolve(one: &[u32], other: &[u32], class: u32) -> Option<Vec<u32>> {
    let mut clause: Vec<u32> =
        one.iter().chain(other).copied().filter(|literal| literal >> 1 != class).collect();
    clause.sort_unstable();
    clause.dedup();
    (!clause.windows(2).any(|pair| pair[0] ^ 1 == pair[1])).then_some(clause)
}

fn resolve_sourced(one: &Sourced, other: &Sourced, class: u32) -> Option<Sourced> {
    let clause = resolve(&one.0, &other.0, class)?;
    let mut sources: Vec<Source> = one.1.iter().chain(&other.1).copied().collect();
    sources.sort_unstable();
    sources.dedup();
    Some((clause, sources))
}
