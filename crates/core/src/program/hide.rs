//! Hidden classes: a program without some of its classes that gives the others the same values.
//!
//! A hidden class has the raw score −∞ and is not written, so its value is that of its rules alone:
//! the largest over them of the smallest over their literals. That is a formula, and wherever the
//! class occurs the formula can stand for it: a positive occurrence becomes one rule for each rule
//! of the class, a negated one a rule for each choice of one literal of every rule, negated. A rule
//! of the class that needs the class itself adds nothing to the least fixpoint and goes first.
//! Nothing but comparison and negation is involved, so the values are equal to the bit.
//!
//! Classes are eliminated one at a time, the cheapest first, and those that no visible class
//! depends on are dropped before; a hierarchy of forty thousand classes takes linear time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::{Program, RequirementError};
use crate::label::{LabelId, Labels};
use crate::rule::{Literal, Rule};

/// Why a class cannot be hidden.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum HidingError {
    /// It takes more rules than is reasonable.
    #[error("without the class `{class}` there would be more than {most} rules")]
    TooLarge {
        /// The class that was being eliminated.
        class: String,
        /// The maximum number of rules.
        most: usize,
    },
    /// It has rules and occurs in a requirement, which cannot be written without it.
    #[error(
        "`{class}` has rules, and the requirement `{requirement}` cannot be written without it"
    )]
    Required { class: String, requirement: String },
    /// Where it never holds, nothing satisfies the requirements, or whether anything does is not decided.
    #[error("where `{class}` never holds, {problem}")]
    Unsatisfiable {
        /// A hidden class of a requirement.
        class: String,
        /// What clashes without the hidden classes.
        problem: RequirementError,
    },
}

impl HidingError {
    /// The class.
    pub fn class(&self) -> &str {
        match self {
            Self::TooLarge { class, .. }
            | Self::Required { class, .. }
            | Self::Unsatisfiable { class, .. } => class,
        }
    }
}

impl Program {
    /// The program without the classes that are not `visible`, in which every visible class has
    /// the value it has here if each hidden one has the raw score −∞. A derived rule has the place
    /// of the rule with its head. In requirements a hidden class that has no rules never holds.
    ///
    /// ```
    /// use rulebound_core::Program;
    /// let program: Program = "cat -> pet\npet -> animal\nanimal, not pet -> wild".parse()?;
    /// let hidden = program.hiding(|id| program.labels().name(id) != "pet")?;
    /// assert_eq!(hidden.to_text(), "cat -> animal\nanimal, not cat -> wild\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there would be far more rules than there are; if a hidden class has rules and occurs in a
    /// requirement; if without the hidden classes nothing satisfies the requirements.
    pub fn hiding(&self, visible: impl Fn(LabelId) -> bool) -> Result<Self, HidingError> {
        let visible: Vec<bool> = self.labels.ids().map(visible).collect();
        if visible.iter().all(|is| *is) {
            return Ok(self.clone());
        }
        let mut work = Elimination::new(self, &visible);
        let hidden = self.labels.ids().filter(|id| !visible[id.index()]);
        let mut queue: BinaryHeap<Reverse<(usize, LabelId)>> =
            hidden.map(|id| Reverse((work.cost(id), id))).collect();
        while let Some(Reverse((cost, class))) = queue.pop() {
            let now = work.cost(class);
            if now > cost {
                // Other eliminations have made it more expensive.
                queue.push(Reverse((now, class)));
                continue;
            }
            work.eliminate(class).map_err(|most| {
                let class = self.labels.name(class).to_owned();
                HidingError::TooLarge { class, most }
            })?;
        }
        let place = new_places(&visible);
        let program = work.finish(self, &visible, &place);
        self.hide_in_requirements(program, &visible, &place)
    }
}

/// A rule, and the rule of the text that it is or comes from.
#[derive(Clone)]
struct Derived {
    head: LabelId,
    body: Vec<Literal>,
    origin: usize,
}

struct Elimination {
    rules: Vec<Option<Derived>>,
    /// The rules of each hidden class, and those whose bodies have it; some may be gone.
    of_head: Vec<Vec<usize>>,
    in_body: Vec<Vec<usize>>,
    hidden: Vec<bool>,
    /// What is there already: a rule twice adds nothing.
    known: HashSet<(LabelId, Vec<Literal>)>,
    alive: usize,
    most: usize,
}

impl Elimination {
    fn new(program: &Program, visible: &[bool]) -> Self {
        let classes = visible.len();
        let mut work = Self {
            rules: Vec::with_capacity(program.rules.len()),
            of_head: vec![Vec::new(); classes],
            in_body: vec![Vec::new(); classes],
            hidden: visible.iter().map(|is| !is).collect(),
            known: HashSet::new(),
            alive: 0,
            most: program.rules.len().saturating_mul(8).saturating_add(100_000),
        };
        let needed = needed(program, visible);
        for (origin, rule) in program.rules.iter().enumerate() {
            let head = rule.head();
            if needed[head.index()] && !(work.hidden[head.index()] && rule.supports_itself()) {
                work.add(Derived { head, body: rule.body().to_vec(), origin });
            }
        }
        work
    }

    /// Roughly how many rules the elimination of a class makes.
    fn cost(&self, class: LabelId) -> usize {
        self.of_head[class.index()].len().saturating_mul(self.in_body[class.index()].len())
    }

    fn add(&mut self, rule: Derived) {
        let at = self.rules.len();
        if self.hidden[rule.head.index()] {
            self.of_head[rule.head.index()].push(at);
        }
        for literal in rule.body.iter().filter(|literal| self.hidden[literal.label().index()]) {
            self.in_body[literal.label().index()].push(at);
        }
        self.rules.push(Some(rule));
        self.alive += 1;
    }

    /// Adds a rule that was made from others, unless it adds nothing.
    fn derive(&mut self, head: LabelId, mut body: Vec<Literal>, origin: usize) {
        let mut seen = HashSet::with_capacity(body.len());
        body.retain(|literal| seen.insert(*literal));
        if body.contains(&Literal::positive(head)) {
            return;
        }
        let mut sorted = body.clone();
        sorted.sort_unstable();
        if self.known.insert((head, sorted)) {
            self.add(Derived { head, body, origin });
        }
    }

    fn remove(&mut self, at: usize) -> Option<Derived> {
        let rule = self.rules[at].take();
        self.alive -= usize::from(rule.is_some());
        rule
    }

    /// Replaces every occurrence of a hidden class; the error is the maximum number of rules.
    fn eliminate(&mut self, class: LabelId) -> Result<(), usize> {
        let rules = std::mem::take(&mut self.of_head[class.index()]);
        let bodies: Vec<Vec<Literal>> =
            rules.into_iter().filter_map(|at| self.remove(at)).map(|rule| rule.body).collect();
        let mut denials: Option<Vec<Vec<Literal>>> = None;
        let mut uses = std::mem::take(&mut self.in_body[class.index()]);
        uses.sort_unstable();
        uses.dedup();
        for at in uses {
            let Some(rule) = self.remove(at) else { continue };
            let (affirmed, denied) = (Literal::positive(class), Literal::negative(class));
            let mut made = vec![Vec::new()];
            for &literal in &rule.body {
                let alternatives: &[Vec<Literal>] = if literal == affirmed {
                    &bodies
                } else if literal == denied {
                    if denials.is_none() {
                        denials = Some(choices(&bodies, self.most)?);
                    }
                    denials.as_deref().unwrap_or_default()
                } else {
                    made.iter_mut().for_each(|body: &mut Vec<Literal>| body.push(literal));
                    continue;
                };
                if made.len().saturating_mul(alternatives.len()) > self.most {
                    return Err(self.most);
                }
                let with = |body: &Vec<Literal>, more: &Vec<Literal>| [&body[..], more].concat();
                made = made
                    .iter()
                    .flat_map(|body| alternatives.iter().map(move |more| with(body, more)))
                    .collect();
            }
            for body in made {
                self.derive(rule.head, body, rule.origin);
            }
            if self.alive > self.most {
                return Err(self.most);
            }
        }
        Ok(())
    }

    fn finish(self, program: &Program, visible: &[bool], new: &[LabelId]) -> Program {
        let names = program.labels.ids().filter(|id| visible[id.index()]);
        let labels = match Labels::new(names.map(|id| program.labels.name(id))) {
            Ok(labels) => labels,
            Err(error) => unreachable!("names of a program are distinct: {error}"),
        };
        let place = |id: LabelId| new[id.index()];
        let literal = |literal: &Literal| moved(*literal, new);
        let mut derived: Vec<Derived> = self.rules.into_iter().flatten().collect();
        derived.sort_by_key(|rule| rule.origin);
        let spans = derived.iter().map(|rule| program.spans[rule.origin]).collect();
        let rules = derived
            .iter()
            .map(|rule| Rule::new(place(rule.head), rule.body.iter().map(literal)))
            .collect();
        match Program::from_source(labels, rules, spans) {
            Ok(program) => program,
            Err(error) => unreachable!("a formula in place of a class closes no cycle: {error}"),
        }
    }
}

/// The numbers of the visible classes without the hidden ones.
fn new_places(visible: &[bool]) -> Vec<LabelId> {
    let mut next = 0;
    let place = |&is: &bool| {
        let id = LabelId::new(next);
        next += usize::from(is);
        id
    };
    visible.iter().map(place).collect()
}

pub(super) fn moved(literal: Literal, new: &[LabelId]) -> Literal {
    let label = new[literal.label().index()];
    if literal.is_negated() { Literal::negative(label) } else { Literal::positive(label) }
}

/// Every choice of one literal of each body, negated: what must hold so that no body does. Those
/// that contain another choice add nothing and are left out.
fn choices(bodies: &[Vec<Literal>], most: usize) -> Result<Vec<Vec<Literal>>, usize> {
    let mut made: Vec<Vec<Literal>> = vec![Vec::new()];
    for body in bodies {
        let mut next: Vec<Vec<Literal>> = Vec::new();
        let mut seen = HashSet::new();
        for chosen in &made {
            for &literal in body {
                let mut longer = chosen.clone();
                if !longer.contains(&!literal) {
                    longer.push(!literal);
                    longer.sort_unstable();
                }
                if seen.insert(longer.clone()) {
                    next.push(longer);
                }
                if next.len() > most {
                    return Err(most);
                }
            }
        }
        made = next;
    }
    Ok(made)
}

/// The classes that are visible, or that a visible one depends on.
fn needed(program: &Program, visible: &[bool]) -> Vec<bool> {
    let mut needed = visible.to_vec();
    let mut waiting: Vec<LabelId> = program.labels.ids().filter(|id| visible[id.index()]).collect();
    while let Some(class) = waiting.pop() {
        for &rule in program.rules_of(class) {
            for literal in program.rule(rule).body() {
                if !std::mem::replace(&mut needed[literal.label().index()], true) {
                    waiting.push(literal.label());
                }
            }
        }
    }
    needed
}
