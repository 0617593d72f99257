//! Positive cycles as nodes of a graph.
//!
//! The values of a cycle are the least fixed point of its rules over what its classes have from outside. If every rule inside
//! has one literal, all classes have one value, the largest. Otherwise a derivation passes through each class at most once, so
//! that one round less than there are classes is enough: written out, or a `Loop` that ends when nothing rises any more.

use std::collections::BTreeMap;

use rulebound_core::Literal;

use super::graph::{GraphBuilder, Value};
use super::layer::{Rows, Zeros, raised};
use super::plan::{Cycle, Level, bucket};

/// The largest cycle that is written out where loops are allowed.
const WRITTEN_OUT: usize = 8;

rulebound_core::named_enum! {
    /// Whether long cycles may become `Loop`, an operator that some runtimes lack.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum Loops: "a treatment of cycles" {
        /// Cycles of more than eight classes become loops.
        #[default]
        Allowed = "allowed",
        /// Every round is written out.
        WrittenOut = "written-out",
    }
}

/// The value of a level once its cycles are solved; `rows` has what each class gets from outside of its component.
pub(super) fn append(
    graph: &mut GraphBuilder,
    level: &Level,
    rows: &Rows,
    carried: &Rows,
    zeros: Zeros,
    loops: Loops,
) -> Value {
    let mut parts = vec![rows.value().clone()];
    let mut next = level.heads.len();
    let mut solved: BTreeMap<usize, usize> = BTreeMap::new();

    let (equal, others): (Vec<&Cycle>, Vec<&Cycle>) =
        level.cycles.iter().partition(|cycle| cycle.is_one_value());
    let mut by_size: BTreeMap<usize, Vec<&Cycle>> = BTreeMap::new();
    for cycle in equal {
        by_size.entry(bucket(cycle.members.len())).or_default().push(cycle);
    }
    for (width, cycles) in by_size {
        parts.push(largest(graph, &cycles, width, rows));
        for cycle in cycles {
            solved.extend(cycle.members.iter().map(|&member| (member, next)));
            next += 1;
        }
    }
    let is_long = |cycle: &&Cycle| loops == Loops::Allowed && cycle.members.len() > WRITTEN_OUT;
    let (long, short): (Vec<&Cycle>, Vec<&Cycle>) = others.into_iter().partition(is_long);
    for (cycles, is_loop) in [(short, false), (long, true)] {
        if cycles.is_empty() {
            continue;
        }
        let rounds = Rounds::new(graph, &cycles, rows, carried);
        parts.push(if is_loop {
            rounds.looped(graph, zeros)
        } else {
            rounds.written(graph, zeros)
        });
        for &member in &rounds.members {
            solved.insert(member, next);
            next += 1;
        }
    }
    let all = graph.concat(&parts, 0);
    let row = |class: usize| solved.get(&class).copied().unwrap_or_else(|| rows.row(class));
    let numbers: Vec<usize> = level.heads.iter().map(|head| row(head.class)).collect();
    graph.gather(&all, &[numbers.len()], &numbers)
}

/// The largest value of each cycle.
fn largest(graph: &mut GraphBuilder, cycles: &[&Cycle], width: usize, rows: &Rows) -> Value {
    let slots = cycles.iter().flat_map(|cycle| {
        let last = cycle.members.len() - 1;
        (0..width).map(move |slot| cycle.members[slot.min(last)])
    });
    let numbers: Vec<usize> = slots.map(|member| rows.row(member)).collect();
    let each = graph.gather(rows.value(), &[cycles.len(), width], &numbers);
    graph.reduce("ReduceMax", &each, 1)
}

/// Cycles that are solved round by round.
struct Rounds {
    /// Their classes, by the number of rules inside.
    members: Vec<usize>,
    /// The bodies of each class's rules inside.
    bodies: Vec<Vec<Vec<Literal>>>,
    /// How many rounds are enough.
    count: usize,
    /// The values to begin with.
    start: Value,
    /// What rules inside read from outside, if they do.
    outside: Option<(Value, Vec<usize>)>,
}

impl Rounds {
    fn new(graph: &mut GraphBuilder, cycles: &[&Cycle], rows: &Rows, carried: &Rows) -> Self {
        let mut by_head: BTreeMap<usize, Vec<Vec<Literal>>> = BTreeMap::new();
        for (head, body) in cycles.iter().flat_map(|cycle| &cycle.rules) {
            by_head.entry(*head).or_default().push(body.clone());
        }
        let mut heads: Vec<(usize, Vec<Vec<Literal>>)> = by_head.into_iter().collect();
        heads.sort_by_key(|(class, bodies)| (bucket(bodies.len()), *class));
        let read = heads.iter().flat_map(|(_, bodies)| bodies).flatten();
        let mut outside: Vec<usize> = read
            .map(|literal| literal.label().index())
            .filter(|class| !heads.iter().any(|(head, _)| head == class))
            .collect();
        outside.sort_unstable();
        outside.dedup();
        let outside = (!outside.is_empty()).then(|| {
            let numbers: Vec<usize> = outside.iter().map(|&class| carried.row(class)).collect();
            (graph.gather(carried.value(), &[numbers.len()], &numbers), outside)
        });
        let (members, bodies): (Vec<usize>, Vec<Vec<Vec<Literal>>>) = heads.into_iter().unzip();
        let numbers: Vec<usize> = members.iter().map(|&member| rows.row(member)).collect();
        let start = graph.gather(rows.value(), &[numbers.len()], &numbers);
        let count = cycles.iter().map(|cycle| cycle.members.len() - 1).max().unwrap_or(0);
        Self { members, bodies, count, start, outside }
    }

    /// One round: every rule once.
    fn round(&self, graph: &mut GraphBuilder, values: &Value, zeros: Zeros) -> Value {
        let mut parts = vec![values.clone()];
        let mut classes = self.members.clone();
        if let Some((value, others)) = &self.outside {
            parts.push(value.clone());
            classes.extend(others);
        }
        let rows = Rows::new(graph.concat(&parts, 0), classes);
        let bodies: Vec<&[Vec<Literal>]> = self.bodies.iter().map(|bodies| &bodies[..]).collect();
        let raised = raised(graph, &bodies, &rows, zeros);
        graph.pair("Max", values, &raised)
    }

    fn written(&self, graph: &mut GraphBuilder, zeros: Zeros) -> Value {
        (0..self.count).fold(self.start.clone(), |values, _| self.round(graph, &values, zeros))
    }

    fn looped(&self, graph: &mut GraphBuilder, zeros: Zeros) -> Value {
        let state = [(&self.start, self.members.len())];
        let states = graph.repeat("loop", self.count, &state, |graph, state| {
            let raised = self.round(graph, &state[0], zeros);
            let rises = graph.pair("Greater", &raised, &state[0]);
            (graph.any(&rises), vec![raised])
        });
        states[0].clone()
    }
}
