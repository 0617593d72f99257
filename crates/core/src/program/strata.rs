//! CompStrata(Π): the stratification with the fewest strata.
//!
//! The stratum of a class is 1 plus the largest number of negative edges on a
//! path from a root of the component graph to the class. All rules of a head
//! belong to the stratum of the head.

use super::graph::Components;
use crate::label::LabelId;
use crate::rule::{Rule, RuleId};

/// The stratum of every class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strata {
    of: Vec<u32>,
    count: usize,
}

impl Strata {
    /// The strata of rules whose components have no negative edge inside.
    pub(crate) fn new<'a>(
        components: &Components,
        rules: &[Rule],
        rules_of: impl Fn(LabelId) -> &'a [RuleId],
    ) -> Self {
        let mut of = vec![1; components.iter().map(<[LabelId]>::len).sum()];
        for members in components.iter() {
            let mut stratum = 1;
            for &member in members {
                for rule in rules_of(member) {
                    for literal in rules[rule.index()].body() {
                        let below: u32 = of[literal.label().index()];
                        stratum = stratum.max(below + u32::from(literal.is_negated()));
                    }
                }
            }
            for member in members {
                of[member.index()] = stratum;
            }
        }
        let count = of.iter().max().map_or(0, |&most| most as usize);
        Self { of, count }
    }

    /// The number of strata; 0 only if there are no classes.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no classes, and so no strata.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The stratum of a class, from 1.
    pub fn stratum_of(&self, label: LabelId) -> usize {
        self.of[label.index()] as usize
    }

    /// The classes of every stratum, the first stratum first. Each class is in
    /// exactly one; within a stratum, classes are in the order of the label list.
    pub fn classes(&self) -> Vec<Vec<LabelId>> {
        let mut classes = vec![Vec::new(); self.count];
        for (index, &stratum) in self.of.iter().enumerate() {
            classes[stratum as usize - 1].push(LabelId::new(index));
        }
        classes
    }
}
