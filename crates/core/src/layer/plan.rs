//! The compiled form of a program: what to evaluate, in which order.
//!
//! Components in dependency order; a class that is in no cycle is one pass
//! over its rules, written as a flat run of numbers: for each rule the length
//! of its body, then the codes of its literals. Rules keep the order written.

use super::cycle::Cycle;
use crate::program::Program;

/// One step of the evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A class in no cycle: its rules are `stream[start..end]`.
    Class { head: u32, start: u32, end: u32 },
    /// The cycle of this number.
    Cycle(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub classes: usize,
    pub steps: Vec<Step>,
    pub stream: Vec<u32>,
    pub cycles: Vec<Cycle>,
    /// The stratum of every class; the loss treats classes of one stratum alike.
    pub stratum: Vec<u32>,
}

impl Plan {
    pub fn new(program: &Program) -> Self {
        let labels = program.labels();
        let mut plan = Self {
            classes: labels.len(),
            steps: Vec::new(),
            stream: Vec::new(),
            cycles: Vec::new(),
            stratum: labels.ids().map(|label| program.strata().of(label) as u32).collect(),
        };
        for members in program.components().iter() {
            if let [head] = members {
                let start = plan.stream.len() as u32;
                for &rule in program.rules_of(*head) {
                    let rule = program.rule(rule);
                    if !rule.supports_itself() {
                        plan.stream.push(rule.body().len() as u32);
                        plan.stream.extend(rule.body().iter().map(|literal| literal.code()));
                    }
                }
                let end = plan.stream.len() as u32;
                if end > start {
                    plan.steps.push(Step::Class { head: head.index() as u32, start, end });
                }
            } else {
                plan.steps.push(Step::Cycle(plan.cycles.len() as u32));
                plan.cycles.push(Cycle::new(program, members));
            }
        }
        plan
    }

    /// About how many numbers one example touches: classes and literals.
    pub fn cost(&self) -> usize {
        let cyclic: usize = self.cycles.iter().map(Cycle::cost).sum();
        self.classes + self.stream.len() + 16 * cyclic
    }

    /// The rules of one class, each as the codes of its body.
    pub fn bodies(&self, start: u32, end: u32) -> impl Iterator<Item = &[u32]> {
        let mut rest = &self.stream[start as usize..end as usize];
        std::iter::from_fn(move || {
            let (&length, tail) = rest.split_first()?;
            let (body, tail) = tail.split_at(length as usize);
            rest = tail;
            Some(body)
        })
    }
}
