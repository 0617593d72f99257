//! Classes that derive each other: a component with positive cycles.
//!
//! Its values are the least fixpoint of max and min. They are found the way
//! Dijkstra finds shortest ways: the largest value that is still open can no
//! longer grow, so its class is settled, and every rule whose body is settled
//! offers its minimum to its head. Each class is settled once and each literal
//! looked at a constant number of times, however long the cycle.

use super::scalar::{Reading, View};
use crate::delegate::Delegate;
use crate::label::LabelId;
use crate::margin::Margin;
use crate::program::Program;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Not a member, or not a rule.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    /// The classes.
    members: Vec<u32>,
    rules: Vec<CycleRule>,
    /// Bodies of all rules: the code, and the member's index if the literal is
    /// a positive one of the component.
    literals: Vec<(u32, u32)>,
    /// For each member, the rules in whose body it occurs: `users[starts[m]..starts[m + 1]]`.
    starts: Vec<u32>,
    users: Vec<u32>,
}

#[derive(Clone, Debug)]
struct CycleRule {
    /// The head's index among the members.
    head: u32,
    start: u32,
    end: u32,
    /// Its index among the rules of the head, in the order written.
    place: u32,
}

impl Cycle {
    pub fn new(program: &Program, members: &[LabelId]) -> Self {
        let place_of: std::collections::HashMap<LabelId, u32> =
            members.iter().enumerate().map(|(place, &label)| (label, place as u32)).collect();
        let mut cycle = Self {
            members: members.iter().map(|label| label.index() as u32).collect(),
            rules: Vec::new(),
            literals: Vec::new(),
            starts: vec![0; members.len() + 1],
            users: Vec::new(),
        };
        for (head, &label) in members.iter().enumerate() {
            let rules = program.rules_of(label).iter().map(|&rule| program.rule(rule));
            for (place, rule) in rules.filter(|rule| !rule.supports_itself()).enumerate() {
                let start = cycle.literals.len() as u32;
                for literal in rule.body() {
                    // A negated member would be a negative cycle.
                    let member = place_of.get(&literal.label()).copied().unwrap_or(NONE);
                    cycle.literals.push((literal.code(), member));
                }
                let end = cycle.literals.len() as u32;
                cycle.rules.push(CycleRule { head: head as u32, start, end, place: place as u32 });
            }
        }
        cycle.index_users();
        cycle
    }

    fn index_users(&mut self) {
        let places =
            || self.literals.iter().map(|&(_, member)| member).filter(|&member| member != NONE);
        for member in places() {
            self.starts[member as usize + 1] += 1;
        }
        for member in 0..self.members.len() {
            self.starts[member + 1] += self.starts[member];
        }
        let mut next = self.starts.clone();
        let mut users = vec![0; places().count()];
        for (index, rule) in self.rules.iter().enumerate() {
            for &(_, member) in &self.literals[rule.start as usize..rule.end as usize] {
                if member != NONE {
                    users[next[member as usize] as usize] = index as u32;
                    next[member as usize] += 1;
                }
            }
        }
        self.users = users;
    }

    pub fn cost(&self) -> usize {
        self.members.len() + self.literals.len()
    }

    /// The codes of the literals of all bodies.
    pub fn body_codes(&self) -> impl Iterator<Item = u32> + '_ {
        self.literals.iter().map(|&(code, _)| code)
    }

    fn body(&self, rule: u32) -> &[(u32, u32)] {
        let rule = &self.rules[rule as usize];
        &self.literals[rule.start as usize..rule.end as usize]
    }

    fn head(&self, rule: u32) -> u32 {
        self.members[self.rules[rule as usize].head as usize]
    }

    /// Settles every class of the component in `view`.
    pub fn solve<F: Margin>(&self, view: &mut impl View<F>, space: &mut CycleSpace<F>) {
        space.reset(self.members.len(), self.rules.len());
        for (place, &label) in self.members.iter().enumerate() {
            let value = view.own(label).value;
            space.open.push(Offer { value, steps: 0, rule: NONE, member: place as u32 });
        }
        for rule in 0..self.rules.len() as u32 {
            let head = self.head(rule);
            let mut least = F::TRUE;
            let mut missing = 0;
            for &(code, member) in self.body(rule) {
                if member != NONE && view.waits(head, code) {
                    missing += 1;
                } else {
                    let value = view.literal(head, code).value;
                    least = if value < least { value } else { least };
                }
            }
            space.least[rule as usize] = least;
            space.missing[rule as usize] = missing;
            if missing == 0 {
                self.offer(rule, view, space);
            }
        }
        while let Some(offer) = space.open.pop() {
            let member = offer.member as usize;
            if space.steps[member] != NONE {
                continue;
            }
            space.steps[member] = offer.steps;
            let label = self.members[member];
            if offer.rule != NONE {
                let delegate = self.deciding(offer.rule, offer.value, view);
                let place = self.rules[offer.rule as usize].place;
                view.settle(label, Reading { value: offer.value, delegate }, place as usize);
            }
            for at in self.starts[member]..self.starts[member + 1] {
                let user = self.users[at as usize];
                if !view.waits(self.head(user), label << 1) {
                    continue;
                }
                let least = &mut space.least[user as usize];
                *least = if offer.value < *least { offer.value } else { *least };
                space.missing[user as usize] -= 1;
                if space.missing[user as usize] == 0 {
                    self.offer(user, view, space);
                }
            }
        }
    }

    /// A rule whose body is settled offers its value to its head, if that is
    /// more than the head has of itself.
    fn offer<F: Margin>(&self, rule: u32, view: &impl View<F>, space: &mut CycleSpace<F>) {
        let value = space.least[rule as usize];
        let head = self.head(rule);
        let member = self.rules[rule as usize].head;
        if space.steps[member as usize] != NONE || value <= view.own(head).value {
            return;
        }
        let before = self
            .body(rule)
            .iter()
            .filter(|&&(code, member)| {
                member != NONE && view.waits(head, code) && view.literal(head, code).value == value
            })
            .map(|&(_, member)| space.steps[member as usize])
            .max();
        space.open.push(Offer { value, steps: 1 + before.unwrap_or(0), rule, member });
    }

    /// The delegate of the first literal that has the value of the rule.
    fn deciding<F: Margin>(&self, rule: u32, value: F, view: &impl View<F>) -> Delegate {
        let head = self.head(rule);
        self.body(rule)
            .iter()
            .map(|&(code, _)| view.literal(head, code))
            .find(|reading| reading.value == value)
            .map_or(Delegate::of_fact(head), |reading| reading.delegate)
    }
}

/// The memory of a solution, kept between examples.
#[derive(Clone, Debug, Default)]
pub(crate) struct CycleSpace<F> {
    open: BinaryHeap<Offer<F>>,
    /// For each member, the number of rules behind its value; `NONE` while open.
    steps: Vec<u32>,
    /// For each rule, the smallest settled value of its body.
    least: Vec<F>,
    /// For each rule, how many literals of its body are still open.
    missing: Vec<u32>,
}

impl<F: Margin> CycleSpace<F> {
    /// Room for the largest cycle of a plan, so that nothing grows later.
    pub fn for_cycles(cycles: &[Cycle]) -> Self {
        let most = |count: fn(&Cycle) -> usize| cycles.iter().map(count).max().unwrap_or(0);
        let (members, rules) = (most(|cycle| cycle.members.len()), most(|cycle| cycle.rules.len()));
        Self {
            open: BinaryHeap::with_capacity(members + rules),
            steps: Vec::with_capacity(members),
            least: Vec::with_capacity(rules),
            missing: Vec::with_capacity(rules),
        }
    }

    fn reset(&mut self, members: usize, rules: usize) {
        self.open.clear();
        self.steps.clear();
        self.steps.resize(members, NONE);
        self.least.clear();
        self.least.resize(rules, F::TRUE);
        self.missing.clear();
        self.missing.resize(rules, 0);
    }
}

/// A value that a class can have: its own (`rule` is `NONE`) or that of a rule.
#[derive(Clone, Copy, Debug)]
struct Offer<F> {
    value: F,
    steps: u32,
    rule: u32,
    member: u32,
}

/// The best offer is the largest value, then the fewest steps, then the rule
/// written first; rules of one head are numbered in the order written.
impl<F: Margin> Ord for Offer<F> {
    fn cmp(&self, other: &Self) -> Ordering {
        let value = self.value.partial_cmp(&other.value).unwrap_or(Ordering::Equal);
        value
            .then(other.steps.cmp(&self.steps))
            .then(other.rule.wrapping_add(1).cmp(&self.rule.wrapping_add(1)))
            .then(other.member.cmp(&self.member))
    }
}

impl<F: Margin> PartialOrd for Offer<F> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<F: Margin> PartialEq for Offer<F> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<F: Margin> Eq for Offer<F> {}
