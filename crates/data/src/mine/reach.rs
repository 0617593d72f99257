//! Decides, one rule at a time, which rules form a stratified set.
//!
//! The paper's dependency graph, stored as its transitive closure: for every label the labels
//! reachable from it, and those reachable through a negation. Invariant: no label reaches itself
//! through a negation.
//!
//! All edges of a rule end in its head, so a cycle that the rule closes goes from the head to a
//! label of the body and back: the test is one bit per literal. An edge whose ends are already
//! connected (through a negation, if it is negative) changes nothing, which is the case for nearly
//! all edges of a long list of rules; any other costs a pass over the closure.

use rulebound_core::{LabelId, Rule};

const BITS: usize = u64::BITS as usize;

#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// The labels reachable from a label, including itself.
    any: Square,
    /// The labels reachable on a path with a negative edge.
    negative: Square,
}

impl Reach {
    /// No rules over `labels` labels.
    pub(super) fn new(labels: usize) -> Self {
        let mut any = Square::new(labels);
        (0..labels).for_each(|label| any.insert(label, label));
        Self { any, negative: Square::new(labels) }
    }

    /// Adds a rule if the rules stay stratified with it. Returns whether it was added.
    pub(super) fn admit(&mut self, rule: &Rule) -> bool {
        let head = rule.head().index();
        let closes = rule.body().iter().any(|literal| {
            let ways_back = if literal.is_negated() { &self.any } else { &self.negative };
            ways_back.contains(head, literal.label().index())
        });
        if closes {
            return false;
        }
        for literal in rule.body() {
            self.join(literal.label(), rule.head(), literal.is_negated());
        }
        true
    }

    fn join(&mut self, from: LabelId, to: LabelId, negated: bool) {
        let (from, to) = (from.index(), to.index());
        let joined = if negated { &self.negative } else { &self.any };
        if joined.contains(from, to) {
            return;
        }
        let beyond = self.any.row(to).to_vec();
        let beyond_negative = self.negative.row(to).to_vec();
        for label in 0..self.any.labels {
            if !self.any.contains(label, from) {
                continue;
            }
            let through_negation = negated || self.negative.contains(label, from);
            self.any.unite(label, &beyond);
            self.negative.unite(label, if through_negation { &beyond } else { &beyond_negative });
        }
    }
}

/// One bit for every pair of labels.
#[derive(Clone, Debug)]
struct Square {
    labels: usize,
    words: Vec<u64>,
}

impl Square {
    fn new(labels: usize) -> Self {
        Self { labels, words: vec![0; labels * labels.div_ceil(BITS)] }
    }

    fn width(&self) -> usize {
        self.labels.div_ceil(BITS)
    }

    fn row(&self, label: usize) -> &[u64] {
        &self.words[label * self.width()..][..self.width()]
    }

    fn contains(&self, from: usize, to: usize) -> bool {
        self.row(from)[to / BITS] >> (to % BITS) & 1 == 1
    }

    fn insert(&mut self, from: usize, to: usize) {
        let width = self.width();
        self.words[from * width + to / BITS] |= 1 << (to % BITS);
    }

    fn unite(&mut self, label: usize, with: &[u64]) {
        let width = self.width();
        let row = &mut self.words[label * width..][..width];
        row.iter_mut().zip(with).for_each(|(word, with)| *word |= with);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rulebound_core::{DependencyGraph, Literal};

    fn rule(labels: usize) -> impl Strategy<Value = Rule> {
        let literal = (0..labels, any::<bool>()).prop_map(|(label, negated)| {
            let literal = Literal::positive(LabelId::new(label));
            if negated { !literal } else { literal }
        });
        (0..labels, prop::collection::vec(literal, 0..3))
            .prop_map(|(head, body)| Rule::new(LabelId::new(head), body))
    }

    proptest! {
        /// Rebuilding the graph for every rule gives the same answers.
        #[test]
        fn a_rule_is_admitted_where_the_graph_has_no_negative_cycle(
            rules in prop::collection::vec(rule(70), 0..150),
            close in prop::collection::vec(rule(6), 0..20),
        ) {
            for rules in [rules, close] {
                let mut reach = Reach::new(70);
                let mut kept: Vec<Rule> = Vec::new();
                for rule in rules {
                    kept.push(rule);
                    let graph = DependencyGraph::new(70, &kept);
                    let is_stratified = graph.negative_cycles(&graph.components()).is_empty();
                    prop_assert_eq!(reach.admit(&kept[kept.len() - 1]), is_stratified);
                    if !is_stratified {
                        kept.pop();
                    }
                }
            }
        }
    }
}
