//! A program compiled for the CPU: what to evaluate, in which order. The GPU has a plan of its own,
//! [`GpuSchedule`](crate::GpuSchedule).
//!
//! Components level by level, bodies before heads; a class that is in no cycle is one pass
//! over its rules, written as a flat run of numbers: for each rule the length
//! of its body, then the codes of its literals; where all bodies have one
//! literal, head and literal. Rules keep the order written.

use super::cycle::Cycle;
use crate::label::LabelId;
use crate::program::Program;
use std::cmp::Reverse;

/// One step of the evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A class in no cycle: its rules are `stream[start..end]`.
    Class { head: u32, start: u32, end: u32 },
    /// Classes in no cycle with one literal in each body: `stream[start..end]`
    /// holds a head and a literal for each rule, the rules of a head together,
    /// all heads of one stratum.
    /// Hierarchies are nothing else, and a run of them has no branch to guess.
    Edges { start: u32, end: u32 },
    /// The cycle with this number.
    Cycle(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct CpuPlan {
    pub classes: usize,
    pub steps: Vec<Step>,
    pub stream: Vec<u32>,
    pub cycles: Vec<Cycle>,
    /// The stratum of every class; the loss treats classes of one stratum alike.
    pub stratum: Vec<u32>,
}

impl CpuPlan {
    pub fn new(program: &Program) -> Self {
        let labels = program.labels();
        let mut plan = Self {
            classes: labels.len(),
            steps: Vec::new(),
            stream: Vec::new(),
            cycles: Vec::new(),
            stratum: labels.ids().map(|label| program.strata().stratum_of(label) as u32).collect(),
        };
        for component in by_level(program) {
            let members = program.components().members(component);
            if let [head] = members {
                plan.push_class(program, *head);
            } else {
                plan.steps.push(Step::Cycle(plan.cycles.len() as u32));
                plan.cycles.push(Cycle::new(program, members));
            }
        }
        plan
    }

    fn push_class(&mut self, program: &Program, head: LabelId) {
        let start = self.stream.len() as u32;
        let rules = program.rules_of(head).iter().map(|&rule| program.rule(rule));
        let rules = rules.filter(|rule| !rule.supports_itself());
        if rules.clone().all(|rule| rule.body().len() == 1) {
            // A run stays in one stratum: the two channels of the loss are
            // computed step by step, and negation looks from one to the other.
            let stratum = |class: usize| self.stratum[class];
            let joins = match self.steps.last() {
                Some(Step::Edges { end, .. }) if *end == start => {
                    let last = self.stream[start as usize - 2] as usize;
                    stratum(last) == stratum(head.index())
                }
                _ => false,
            };
            for rule in rules {
                self.stream.extend([head.index() as u32, rule.body()[0].code()]);
            }
            let after = self.stream.len() as u32;
            match self.steps.last_mut() {
                Some(Step::Edges { end, .. }) if joins => *end = after,
                _ if after > start => self.steps.push(Step::Edges { start, end: after }),
                _ => {}
            }
            return;
        }
        for rule in rules {
            self.stream.push(rule.body().len() as u32);
            self.stream.extend(rule.body().iter().map(|literal| literal.code()));
        }
        let end = self.stream.len() as u32;
        self.steps.push(Step::Class { head: head.index() as u32, start, end });
    }

    /// About how many numbers one example touches: classes and literals.
    pub fn cost(&self) -> usize {
        let cyclic: usize = self.cycles.iter().map(Cycle::cost).sum();
        self.classes + self.stream.len() + 16 * cyclic
    }

    /// The body that starts at `at` in the stream, which moves on behind it.
    #[inline(always)]
    pub fn body(&self, at: &mut usize) -> &[u32] {
        let start = *at + 1;
        *at = start + self.stream[start - 1] as usize;
        &self.stream[start..*at]
    }
}

/// The components level by level, each as late as it can be: one level before
/// the first that depends on it. A value is then used soon after it is made,
/// and no step waits for the one before it. Within a level the order of the
/// label list, so that heads are written one after the other.
fn by_level(program: &Program) -> Vec<usize> {
    let components = program.components();
    let mut levels_after = vec![0u32; components.len()];
    for component in (0..components.len()).rev() {
        let rules = components.members(component).iter().flat_map(|&head| program.rules_of(head));
        for literal in rules.flat_map(|&rule| program.rule(rule).body()) {
            let below = components.component_of(literal.label());
            if below != component {
                levels_after[below] = levels_after[below].max(levels_after[component] + 1);
            }
        }
    }
    let mut order: Vec<usize> = (0..components.len()).collect();
    order.sort_unstable_by_key(|&component| {
        (Reverse(levels_after[component]), components.members(component)[0])
    });
    order
}
