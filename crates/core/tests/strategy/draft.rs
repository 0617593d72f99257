//! Random programs with requirements.
#![allow(dead_code, clippy::unwrap_used)] // every test file uses a part of it

use rulebound_core::{LabelId, Labels, Literal, Program, Requirement, Rule};
use rulebound_testing::Random;

pub fn labels(classes: usize) -> Labels {
    Labels::new((0..classes).map(|class| format!("c{class}"))).unwrap()
}

pub fn literal(random: &mut Random, classes: usize) -> Literal {
    let label = LabelId::new(random.below(classes));
    if random.below(3) == 0 { Literal::negative(label) } else { Literal::positive(label) }
}

/// What a program is made of, so that its lines can be written in another order.
#[derive(Clone)]
pub struct Draft {
    pub classes: usize,
    pub rules: Vec<Rule>,
    pub requirements: Vec<Requirement>,
    pub preferred: Vec<LabelId>,
}

impl Draft {
    /// Some rules, clauses, groups and preferences over at most 12 classes.
    pub fn new(random: &mut Random) -> Self {
        let classes = 2 + random.below(11);
        let some = |random: &mut Random, most: usize| -> Vec<Literal> {
            (0..random.below(most + 1)).map(|_| literal(random, classes)).collect()
        };
        let mut rules = Vec::new();
        for _ in 0..random.below(8) {
            // Heads come after their bodies, which keeps negation stratified; some positive cycles.
            let head = random.below(classes);
            let body = some(random, 2).into_iter().filter_map(|one| {
                let below = one.label().index() < head;
                (below || !one.is_negated())
                    .then(|| if below { one } else { Literal::positive(one.label()) })
            });
            let body: Vec<Literal> = body.collect();
            if !body.is_empty() {
                rules.push(Rule::new(LabelId::new(head), body));
            }
        }
        let mut requirements = Vec::new();
        for _ in 0..1 + random.below(8) {
            let guard = if random.below(3) == 0 { some(random, 2) } else { Vec::new() };
            let members = some(random, 5);
            requirements.push(match random.below(6) {
                0 => Requirement::count(guard, 0, 1, members),
                1 => Requirement::count(guard, 1, 1, members),
                2 => Requirement::count(guard, 0, random.below(3) as u32, members),
                3 => Requirement::count(guard, 1 + random.below(2) as u32, u32::MAX, members),
                _ => Requirement::any(guard, some(random, 3)),
            });
        }
        let mut preferred: Vec<LabelId> = Vec::new();
        if random.below(4) == 0 {
            for _ in 0..random.below(4) {
                let label = LabelId::new(random.below(classes));
                if !preferred.contains(&label) {
                    preferred.push(label);
                }
            }
        }
        Self { classes, rules, requirements, preferred }
    }

    /// None if the rules are not stratified, or nothing satisfies the requirements.
    pub fn program(&self) -> Option<Program> {
        let program = Program::new(labels(self.classes), self.rules.clone()).ok()?;
        program.with_requirements(self.requirements.clone(), &self.preferred).ok()
    }

    pub fn shuffled(&self, random: &mut Random) -> Self {
        let mut other = self.clone();
        for at in (1..other.rules.len()).rev() {
            other.rules.swap(at, random.below(at + 1));
        }
        for at in (1..other.requirements.len()).rev() {
            other.requirements.swap(at, random.below(at + 1));
        }
        other
    }
}
