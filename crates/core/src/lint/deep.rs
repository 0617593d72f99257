//! Rules that follow from all the others, by forward chaining.

use super::{Lint, LintKind, LintReport};
use crate::label::LabelId;
use crate::program::Program;
use crate::rule::{Literal, RuleId};
use std::collections::HashSet;

/// The rules that follow from all the others: removing one of them changes no
/// output of the layer, whatever the scores.
///
/// A rule follows if its head is reached from its own body by other rules,
/// whose negated classes must be negated in that body too: every rule on the
/// path then has at least the value of the body. Rules that `lint` already found
/// to be superfluous are neither tested nor used. The cost per rule is the part
/// of the program that is reached from its body.
pub fn lint_deep(program: &Program, shallow: &LintReport) -> Vec<Lint> {
    let used = used(program, shallow);
    let mut search = Search::new(program, &used);
    program
        .rule_ids()
        .filter(|rule| used[rule.index()])
        .filter_map(|rule| {
            let by = search.derive(rule)?;
            Some(Lint { rule, kind: LintKind::Implied { by } })
        })
        .collect()
}

/// Rules that all together can be removed without changing an output of the layer; where rules follow
/// from each other, the earlier ones stay. Rules that `lint` found are not among them.
pub(super) fn superfluous(program: &Program, shallow: &LintReport) -> Vec<RuleId> {
    let used = used(program, shallow);
    let mut search = Search::new(program, &used);
    let mut dropped = Vec::new();
    for index in (0..used.len()).rev().filter(|&index| used[index]) {
        let rule = RuleId::new(index);
        if search.derive(rule).is_some() {
            search.dropped[index] = true;
            dropped.push(rule);
        }
    }
    dropped
}

/// The rules that are not superfluous by themselves.
fn used(program: &Program, shallow: &LintReport) -> Vec<bool> {
    let mut used = vec![true; program.rules().len()];
    for lint in &shallow.lints {
        if !matches!(lint.kind, LintKind::Contradictory { .. }) {
            used[lint.rule.index()] = false;
        }
    }
    used
}

/// Forward chaining from a body, with its memory kept between searches.
struct Search<'a> {
    program: &'a Program,
    /// The rules in whose positive body a label occurs.
    uses: Vec<Vec<RuleId>>,
    /// The rules with no positive body.
    unconditional: Vec<RuleId>,
    reached: Vec<bool>,
    reached_by: Vec<Option<RuleId>>,
    missing: Vec<u32>,
    /// The rules that are no longer part of the program.
    dropped: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, used: &[bool]) -> Self {
        let mut uses = vec![Vec::new(); program.labels().len()];
        let mut unconditional = Vec::new();
        let mut missing = vec![0; program.rules().len()];
        for rule in program.rule_ids().filter(|rule| used[rule.index()]) {
            for literal in program.rule(rule).body().iter().filter(|literal| !literal.is_negated())
            {
                uses[literal.label().index()].push(rule);
                missing[rule.index()] += 1;
            }
            if missing[rule.index()] == 0 {
                unconditional.push(rule);
            }
        }
        let labels = program.labels().len();
        Self {
            program,
            uses,
            unconditional,
            reached: vec![false; labels],
            reached_by: vec![None; labels],
            missing,
            dropped: vec![false; program.rules().len()],
        }
    }

    /// The other rules by which the head of `goal` is reached from its body.
    fn derive(&mut self, goal: RuleId) -> Option<Vec<RuleId>> {
        let program = self.program;
        let rule = program.rule(goal);
        let assumed: HashSet<Literal> = rule.body().iter().copied().collect();
        let dropped = std::mem::take(&mut self.dropped);
        let mut touched = Vec::new();
        let mut queue = Vec::new();
        for literal in rule.body().iter().filter(|literal| !literal.is_negated()) {
            self.reached[literal.label().index()] = true;
            queue.push(literal.label());
        }
        let fires = |candidate: RuleId| {
            candidate != goal
                && !dropped[candidate.index()]
                && program
                    .rule(candidate)
                    .body()
                    .iter()
                    .all(|l| !l.is_negated() || assumed.contains(l))
        };
        let mut reached_labels = queue.clone();
        let mut ready: Vec<RuleId> = self.unconditional.clone();
        loop {
            while let Some(candidate) = ready.pop() {
                let head = program.rule(candidate).head();
                if !self.reached[head.index()] && fires(candidate) {
                    self.reached[head.index()] = true;
                    self.reached_by[head.index()] = Some(candidate);
                    reached_labels.push(head);
                    queue.push(head);
                }
            }
            if self.reached[rule.head().index()] {
                break;
            }
            let Some(label) = queue.pop() else { break };
            for &user in &self.uses[label.index()] {
                self.missing[user.index()] -= 1;
                touched.push(user);
                if self.missing[user.index()] == 0 {
                    ready.push(user);
                }
            }
        }
        let derivation = self.reached[rule.head().index()].then(|| self.derivation(rule.head()));
        for user in touched {
            self.missing[user.index()] += 1;
        }
        for label in reached_labels {
            self.reached[label.index()] = false;
            self.reached_by[label.index()] = None;
        }
        self.dropped = dropped;
        derivation
    }

    /// The rules that were used to reach `head`, ascending.
    fn derivation(&self, head: LabelId) -> Vec<RuleId> {
        let mut by = Vec::new();
        let mut seen = HashSet::from([head]);
        let mut open = vec![head];
        while let Some(label) = open.pop() {
            let Some(rule) = self.reached_by[label.index()] else { continue };
            by.push(rule);
            for literal in
                self.program.rule(rule).body().iter().filter(|literal| !literal.is_negated())
            {
                if seen.insert(literal.label()) {
                    open.push(literal.label());
                }
            }
        }
        by.sort_unstable();
        by
    }
}
