//! A program compiled for rows of which few classes are listed.
//!
//! The *base* is what the rules make of the row that lists nothing: every class is −∞ or +∞ there. A rule
//! whose value is −∞ in the base is *dormant*: it matters only once all of its literals that are −∞ there
//! (its *blockers*) have changed, so it is found by counting from below. The others (facts, and rules whose
//! body is all negations) are *standing*: their heads look them up whenever they are touched.
//!
//! Classes are numbered by *slots*, bodies before heads and near to each other, the members of a cycle one
//! after the other.

use crate::delegate::Delegate;
use crate::flat::Flat;
use crate::label::LabelId;
use crate::layer::{ConstraintLayer, Cycle};
use crate::program::Program;
use crate::rule::{Literal, Rule};
use crate::threshold::Thresholds;

/// No cycle, no rule, no list.
pub(super) const NONE: u32 = u32::MAX;

const NO_EDGE: Edge = Edge { head: NONE, rule: 0 };

/// A dormant rule with one literal, as that literal sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub head: u32,
    /// Twice the number of the rule, plus 1 if the literal is negated.
    pub rule: u32,
}

/// What is needed of every touched slot, in one place. Most classes of a hierarchy have one parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub class: u32,
    /// Its first dormant rule of one literal; the head is `NONE` if there is none.
    pub edge: Edge,
    /// The list of its other ones; `NONE` if there are none.
    pub more: u32,
}

/// Any other rule outside of cycles.
#[derive(Clone, Copy, Debug)]
pub(super) struct SparseRule {
    pub head: u32,
    /// Its literals are `literals[start..end]`.
    pub start: u32,
    pub end: u32,
    /// Its number in the program: the order written.
    pub place: u32,
    pub blockers: u32,
}

#[derive(Clone, Debug)]
pub(super) struct SparsePlan {
    pub slot_of: Vec<u32>,
    /// By slot.
    pub nodes: Vec<Node>,
    /// Further dormant rules of one literal; see [`Node::more`].
    pub more: Flat<Edge>,
    /// Whether there is nothing but edges, and the base is −∞ everywhere: hierarchies.
    pub is_plain: bool,
    pub rules: Vec<SparseRule>,
    /// Twice the slot, plus 1 if negated.
    pub literals: Vec<u32>,
    /// The dormant rules that a slot blocks.
    pub blocked: Flat<u32>,
    /// The slots to look at again once a slot has changed.
    pub watchers: Flat<u32>,
    /// The standing rules of a slot, in the order written.
    pub standing: Flat<u32>,
    pub cycles: Vec<Cycle>,
    /// For each slot the cycle it is in; empty without cycles.
    pub cycle_of: Vec<u32>,
    /// For each cycle its slots: from the first to before the last.
    pub members: Vec<(u32, u32)>,
    /// For each slot whether it holds in the base, and by what.
    pub base: Vec<(bool, Delegate)>,
    /// The slots that hold in the base.
    pub base_holds: Vec<u32>,
}

impl SparsePlan {
    pub fn new(program: &Program) -> Self {
        let classes = program.labels().len();
        let order = bodies_first(program);
        let mut plan = Self {
            slot_of: vec![0; classes],
            nodes: Vec::with_capacity(classes),
            more: Flat::new(0, Vec::new()),
            is_plain: false,
            rules: Vec::new(),
            literals: Vec::new(),
            blocked: Flat::new(0, Vec::new()),
            watchers: Flat::new(0, Vec::new()),
            standing: Flat::new(0, Vec::new()),
            cycles: Vec::new(),
            cycle_of: Vec::new(),
            members: Vec::new(),
            base: Vec::new(),
            base_holds: Vec::new(),
        };
        for &component in &order {
            let members = program.components().members(component as usize);
            let first = plan.nodes.len() as u32;
            for &label in members {
                plan.slot_of[label.index()] = plan.nodes.len() as u32;
                plan.nodes.push(Node { class: label.index() as u32, edge: NO_EDGE, more: NONE });
            }
            if members.len() > 1 {
                plan.cycle_of.resize(classes, NONE);
                let end = plan.nodes.len() as u32;
                plan.cycle_of[first as usize..end as usize].fill(plan.cycles.len() as u32);
                plan.members.push((first, end));
                plan.cycles.push(Cycle::new(program, members));
            }
        }
        plan.find_base(program);
        plan.sort_rules(program);
        plan.is_plain =
            plan.rules.is_empty() && plan.cycles.is_empty() && plan.base_holds.is_empty();
        plan
    }

    fn find_base(&mut self, program: &Program) {
        let classes = self.nodes.len();
        let (mut values, mut delegates) = (vec![0.0f32; classes], Vec::new());
        delegates.resize(classes, Delegate::default());
        let absent = vec![f32::NEG_INFINITY; classes];
        let halves = Thresholds::half(classes);
        let layer = ConstraintLayer::new(program, halves);
        let mut space = layer.workspace_for(1);
        let done = layer.forward_with_delegates(&absent, &mut values, &mut delegates, &mut space);
        debug_assert_eq!(done, Ok(()), "no NaN, and no requirements");
        let of_class = |class: usize| (values[class] > 0.0, delegates[class]);
        self.base = self.nodes.iter().map(|node| of_class(node.class as usize)).collect();
        self.base_holds = (0..classes as u32).filter(|&slot| self.base[slot as usize].0).collect();
    }

    /// Sorts every rule outside of cycles into edges, dormant and standing ones, and notes who watches whom.
    fn sort_rules(&mut self, program: &Program) {
        let classes = self.nodes.len();
        let (mut lists, mut more, mut blocked) = (0, Vec::new(), Vec::new());
        let (mut watchers, mut standing) = (Vec::new(), Vec::new());
        for (place, rule) in program.rules().iter().enumerate() {
            if rule.supports_itself() {
                continue;
            }
            let head = self.slot_of[rule.head().index()];
            if let Some(&cycle) = self.cycle_of.get(head as usize)
                && cycle != NONE
            {
                let inside = |slot: u32| self.cycle_of[slot as usize] == cycle;
                let slots = rule.body().iter().map(|&literal| self.slot(literal));
                let leader = self.members[cycle as usize].0;
                watchers.extend(slots.filter(|&slot| !inside(slot)).map(|slot| (slot, leader)));
                continue;
            }
            let blocks = |literal: &Literal| {
                self.base[self.slot(*literal) as usize].0 == literal.is_negated()
            };
            let blockers: Vec<u32> =
                rule.body().iter().filter(|one| blocks(one)).map(|&one| self.slot(one)).collect();
            if let ([literal], [slot]) = (rule.body(), &blockers[..]) {
                let rule = (place as u32) << 1 | u32::from(literal.is_negated());
                let node = &mut self.nodes[*slot as usize];
                if node.edge.head == NONE {
                    node.edge = Edge { head, rule };
                    continue;
                }
                if node.more == NONE {
                    node.more = lists;
                    lists += 1;
                }
                more.push((node.more, Edge { head, rule }));
                continue;
            }
            let number = self.rules.len() as u32;
            if blockers.is_empty() {
                standing.push((head, number));
                let slots = rule.body().iter().map(|&literal| self.slot(literal));
                watchers.extend(slots.map(|slot| (slot, head)));
            }
            blocked.extend(blockers.iter().map(|&slot| (slot, number)));
            self.push_rule(rule, head, place, blockers.len());
        }
        self.more = Flat::new(lists as usize, more);
        self.blocked = Flat::new(classes, blocked);
        self.watchers = Flat::new(classes, watchers);
        self.standing = Flat::new(classes, standing);
    }

    fn push_rule(&mut self, rule: &Rule, head: u32, place: usize, blockers: usize) {
        let start = self.literals.len() as u32;
        for &literal in rule.body() {
            self.literals.push(self.slot(literal) << 1 | u32::from(literal.is_negated()));
        }
        let end = self.literals.len() as u32;
        let (place, blockers) = (place as u32, blockers as u32);
        self.rules.push(SparseRule { head, start, end, place, blockers });
    }

    fn slot(&self, literal: Literal) -> u32 {
        self.slot_of[literal.label().index()]
    }

    /// The cycle of a slot.
    #[inline(always)]
    pub fn cycle(&self, slot: u32) -> Option<u32> {
        self.cycle_of.get(slot as usize).copied().filter(|&cycle| cycle != NONE)
    }

    /// The class of a slot.
    #[inline(always)]
    pub fn label(&self, slot: u32) -> LabelId {
        LabelId::new(self.nodes[slot as usize].class as usize)
    }

    /// The dormant rules of one literal of a slot.
    #[inline(always)]
    pub fn each_edge(&self, node: Node, mut visit: impl FnMut(Edge)) {
        if node.edge.head != NONE {
            visit(node.edge);
            if node.more != NONE {
                self.more.list(node.more).iter().copied().for_each(visit);
            }
        }
    }
}

/// The components, bodies before heads: depth first from the classes on which nothing depends, so that a
/// class is near the classes below it.
fn bodies_first(program: &Program) -> Vec<u32> {
    let components = program.components();
    let mut below = Vec::new();
    let mut is_top = vec![true; components.len()];
    for rule in program.rules() {
        let head = components.component_of(rule.head());
        for literal in rule.body() {
            let body = components.component_of(literal.label());
            if body != head {
                below.push((head as u32, body as u32));
                is_top[body] = false;
            }
        }
    }
    let below = Flat::new(components.len(), below);
    let (mut seen, mut order) = (vec![false; components.len()], Vec::new());
    let mut path: Vec<(u32, u32)> = Vec::new();
    for top in (0..components.len()).filter(|&component| is_top[component]) {
        seen[top] = true;
        path.push((top as u32, 0));
        while let Some((component, next)) = path.last_mut() {
            match below.list(*component).get(*next as usize) {
                Some(&body) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[body as usize], true) {
                        path.push((body, 0));
                    }
                }
                None => {
                    order.push(*component);
                    path.pop();
                }
            }
        }
    }
    order
}
