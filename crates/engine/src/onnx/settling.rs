//! Requirements as nodes of a graph: rows are settled by counting, for programs of which no row needs search.
//!
//! ```text
//! margins ──> layer ──> sides: open ─┬─ what counting finds, at the strength of the last class that was taken
//!                ▲                   └─ where nothing is found: the surest open class takes its own side      (loop)
//!                └── what overruled classes count as in bodies, until no further class is overruled           (loop)
//! ```
//!
//! A state is one column for each row of the batch. `sides` are 1, −1, or 0 for a class that is open; a counter with
//! as many failing members as it can bear forces the others, which is a product of matrices in either direction. Each turn
//! settles at least one class of every row that is not settled, so there are at most as many turns as classes.
//!
//! That a class no longer counts in bodies as what the rules make of it is said by more rules: every body reads, instead of
//! a class, a *reading* of it, a class that is raised to `min(class, cap)` and has a floor of its own. The caps and floors are
//! infinite until the class is overruled.

use rulebound_core::{Counter, LabelId, Labels, Literal, Program, Rule, SearchNeed, SettlePlan};

use super::attribute::int;
use super::cycle::Loops;
use super::error::OnnxError;
use super::graph::{GraphBuilder, Value};
use super::layer::{self, Zeros};
use super::messages::FLOAT;
use super::plan::LayerPlan;

/// The most multiplications that a row may take.
const WORK: usize = 500_000_000;

/// Rules and requirements of which no row needs search, ready to be written.
#[derive(Debug)]
pub(super) struct SettlingPlan {
    classes: usize,
    settle: SettlePlan,
    /// The classes whose readings are in bodies: what they raise is taken back where they are overruled.
    bodies: Vec<usize>,
    /// The rules; bodies have readings, which are classes after all others: caps, readings, caps of negations, readings
    /// of negations.
    rules: LayerPlan,
}

impl SettlingPlan {
    /// The plan of a program with requirements.
    ///
    /// # Errors
    /// If rows can need search, or settling one takes too much.
    pub fn new(program: &Program) -> Result<Self, OnnxError> {
        let count = program.requirements().len();
        let Some(settle) = program.settle_plan() else {
            let can_need_search = program.search_need() == Some(SearchNeed::Unknown);
            return Err(OnnxError::Requirements { count, can_need_search });
        };
        let work = 4 * settle.classes.len() * settle.classes.len() * settle.counters.len();
        if work > WORK {
            let (classes, counters) = (settle.classes.len(), settle.counters.len());
            return Err(OnnxError::RequirementsTooLarge { count, classes, counters });
        }
        let takes_part = |label: LabelId| settle.classes.binary_search(&label).is_ok();
        let sound = || program.rules().iter().filter(|rule| !rule.supports_itself());
        let read = sound().flat_map(|rule| rule.body()).map(|literal| literal.label());
        let mut bodies: Vec<LabelId> = read.filter(|&label| takes_part(label)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let classes = program.labels().len();
        let rules = with_readings(classes, sound(), &bodies);
        let bodies = bodies.into_iter().map(LabelId::index).collect();
        Ok(Self { classes, settle, bodies, rules })
    }

    /// Appends the layer and the settling of requirements: canonical margins, `[classes, rows]` in the order of the class list,
    /// become coherent ones.
    pub fn append(&self, graph: &mut GraphBuilder, margins: &Value, loops: Loops) -> Value {
        if self.bodies.is_empty() {
            let raised = self.raised(graph, std::slice::from_ref(margins), loops);
            return self.settled(graph, &raised);
        }
        let of_bodies = graph.gather(margins, &[self.bodies.len()], &self.bodies);
        let nothing = nothing_of(graph, &of_bodies);
        let bodies = self.bodies.len();
        let state = [(&nothing, bodies), (&nothing, bodies), (margins, self.classes)];
        let states = graph.repeat("overruled", 2 * bodies + 1, &state, |graph, state| {
            let [counts, fell, _] = state else { unreachable!("three states") };
            let readings = readings(graph, counts, fell);
            let own = [std::slice::from_ref(margins), &readings[..]].concat();
            let raised = self.raised(graph, &own, loops);
            let settled = self.settled(graph, &raised);
            let before = graph.gather(&raised, &[bodies], &self.bodies);
            let after = graph.gather(&settled, &[bodies], &self.bodies);
            let (goes_on, counts, fell) = noted(graph, counts, fell, &before, &after);
            (goes_on, vec![counts, fell, settled])
        });
        states[2].clone()
    }

    /// What the rules make of margins and of the caps and floors of readings.
    fn raised(&self, graph: &mut GraphBuilder, own: &[Value], loops: Loops) -> Value {
        let own = graph.concat(own, 0);
        let order = self.rules.order();
        let own = if order.is_sorted() { own } else { graph.gather(&own, &[order.len()], &order) };
        let raised = layer::append(graph, &self.rules, &own, Zeros::Canonical, loops);
        match order.len() - self.classes {
            0 => raised,
            readings => graph.split(&raised, &[self.classes, readings])[0].clone(),
        }
    }

    /// Raised margins, settled; those of classes that take no part stay.
    fn settled(&self, graph: &mut GraphBuilder, raised: &Value) -> Value {
        let part: Vec<usize> = self.settle.classes.iter().map(|label| label.index()).collect();
        if part.is_empty() {
            return raised.clone();
        }
        let margins = match part.len() == self.classes {
            true => raised.clone(),
            false => graph.gather(raised, &[part.len()], &part),
        };
        let settled = Settling::new(graph, &self.settle, &margins).run(graph);
        if part.len() == self.classes {
            return settled;
        }
        let all = graph.concat(&[raised.clone(), settled], 0);
        let mut row_of: Vec<usize> = (0..self.classes).collect();
        part.iter().enumerate().for_each(|(at, &class)| row_of[class] = self.classes + at);
        graph.gather(&all, &[self.classes], &row_of)
    }
}

/// Rules whose bodies have readings of these classes in the place of the classes themselves.
fn with_readings<'a>(
    classes: usize,
    rules: impl Iterator<Item = &'a Rule>,
    bodies: &[LabelId],
) -> LayerPlan {
    let size = bodies.len();
    // Of the class at this place of `bodies`, the cap and the reading; then those of its negation.
    let extra = |kind: usize, at: usize| LabelId::new(classes + kind * size + at);
    let reading = |&literal: &Literal| match bodies.binary_search(&literal.label()) {
        Ok(at) => Literal::positive(extra(1 + 2 * usize::from(literal.is_negated()), at)),
        Err(_) => literal,
    };
    let mut changed: Vec<Rule> =
        rules.map(|rule| Rule::new(rule.head(), rule.body().iter().map(reading))).collect();
    for (at, &class) in bodies.iter().enumerate() {
        for (kind, literal) in [(0, Literal::positive(class)), (2, Literal::negative(class))] {
            let body = [literal, Literal::positive(extra(kind, at))];
            changed.push(Rule::new(extra(kind + 1, at), body));
        }
    }
    let names = (0..classes + 4 * size).map(|class| class.to_string());
    let program = Labels::new(names).ok().and_then(|labels| Program::new(labels, changed).ok());
    match program {
        Some(program) => LayerPlan::new(&program),
        None => unreachable!("readings depend on what their classes depend on"),
    }
}

/// What a class counts as in bodies: what the rules make of it; what it fell to; present for requirements only; nothing.
const RAISED: f32 = 0.0;
const FELL: f32 = 1.0;
const LIFTED: f32 = 2.0;
const NEITHER: f32 = 3.0;

/// Zeros of the shape of these values.
fn nothing_of(graph: &mut GraphBuilder, values: &Value) -> Value {
    let infinite = graph.floats(&[], &[f32::INFINITY]);
    let never = graph.pair("Greater", values, &infinite);
    graph.cast(&never, FLOAT)
}

fn is(graph: &mut GraphBuilder, values: &Value, number: f32) -> Value {
    let number = graph.floats(&[], &[number]);
    graph.pair("Equal", values, &number)
}

fn not(graph: &mut GraphBuilder, value: &Value) -> Value {
    graph.node("Not", &[value], Vec::new())
}

fn choose(graph: &mut GraphBuilder, which: &Value, yes: &Value, no: &Value) -> Value {
    graph.node("Where", &[which, yes, no], Vec::new())
}

/// These numbers where a class is open, and less than all of them elsewhere.
fn among(graph: &mut GraphBuilder, is_open: &Value, numbers: &Value) -> Value {
    let least = graph.floats(&[], &[-1.0]);
    choose(graph, is_open, numbers, &least)
}

/// The caps and floors of all readings: of classes, then of their negations.
fn readings(graph: &mut GraphBuilder, counts: &Value, fell: &Value) -> [Value; 4] {
    let [certain, never] =
        [f32::INFINITY, f32::NEG_INFINITY].map(|number| graph.floats(&[], &[number]));
    let [is_raised, has_fallen, is_lifted] =
        [RAISED, FELL, LIFTED].map(|number| is(graph, counts, number));
    let counts = graph.pair("Or", &is_raised, &is_lifted);
    let denied = graph.node("Neg", &[fell], Vec::new());
    [
        choose(graph, &counts, &certain, &never),
        choose(graph, &has_fallen, fell, &never),
        choose(graph, &is_raised, &certain, &never),
        choose(graph, &has_fallen, &denied, &never),
    ]
}

/// Takes note of classes that were overruled: whether any was, what each counts as, and what it fell to.
fn noted(
    graph: &mut GraphBuilder,
    counts: &Value,
    fell: &Value,
    before: &Value,
    after: &Value,
) -> (Value, Value, Value) {
    let zero = graph.floats(&[], &[0.0]);
    let [was, is_now] = [before, after].map(|margins| graph.pair("Greater", margins, &zero));
    let [was_not, is_not] = [&was, &is_now].map(|truth| not(graph, truth));
    let [is_raised, has_fallen, is_lifted] =
        [RAISED, FELL, LIFTED].map(|number| is(graph, counts, number));
    let falls = graph.pair("And", &was, &is_not);
    let rises = graph.pair("And", &was_not, &is_now);
    let falls_first = graph.pair("And", &falls, &is_raised);
    let rises_first = graph.pair("And", &rises, &is_raised);
    let falls_again = graph.pair("And", &falls, &is_lifted);
    let rises_again = graph.pair("And", &has_fallen, &is_now);
    let twice = graph.pair("Or", &falls_again, &rises_again);
    let [fallen, lifted, neither] =
        [FELL, LIFTED, NEITHER].map(|number| graph.floats(&[], &[number]));
    let next = choose(graph, &twice, &neither, counts);
    let next = choose(graph, &rises_first, &lifted, &next);
    let next = choose(graph, &falls_first, &fallen, &next);
    let fell = choose(graph, &falls_first, after, fell);
    let first = graph.pair("Or", &falls_first, &rises_first);
    let changed = graph.pair("Or", &first, &twice);
    let goes_on = graph.any(&changed);
    (goes_on, next, fell)
}

/// The settling of rows.
struct Settling<'a> {
    plan: &'a SettlePlan,
    margins: &'a Value,
    /// How far from the threshold each class is.
    sureness: Value,
}

/// Counters as matrices: a column for each class, and one for its negation after all of these.
struct Counts {
    members: Value,
    /// A counter with more failing members than this forces the others.
    tight: Value,
    guards: Option<Guards>,
}

struct Guards {
    members: Value,
    /// A guard of which more than this holds, holds.
    whole: Value,
    /// A guard of which more than this holds has at most one literal left.
    nearly: Value,
    /// A counter with more failing members than this is broken.
    broken: Value,
}

impl<'a> Settling<'a> {
    fn new(graph: &mut GraphBuilder, plan: &'a SettlePlan, margins: &'a Value) -> Self {
        let sureness = graph.node("Abs", &[margins], Vec::new());
        Self { plan, margins, sureness }
    }

    fn classes(&self) -> usize {
        self.plan.classes.len()
    }

    fn run(&self, graph: &mut GraphBuilder) -> Value {
        let classes = self.classes();
        let nothing = nothing_of(graph, self.margins);
        let (mut sides, mut values) = (nothing.clone(), self.margins.clone());
        if !self.plan.always.is_empty() {
            let mut always = vec![0.0; classes];
            for &(label, holds) in &self.plan.always {
                always[self.place(label)] = if holds { 1.0 } else { -1.0 };
            }
            let is_open = always.iter().map(|&side| u8::from(side == 0.0)).collect();
            let constants: Vec<f32> = always
                .iter()
                .map(|&side| if side > 0.0 { f32::INFINITY } else { f32::NEG_INFINITY })
                .collect();
            let is_open = graph.truths(&[classes, 1], is_open);
            let constants = graph.floats(&[classes, 1], &constants);
            let always = graph.floats(&[classes, 1], &always);
            sides = graph.pair("Add", &nothing, &always);
            values = choose(graph, &is_open, self.margins, &constants);
        }
        let strength = graph.gather(&self.sureness, &[1], &[0]);
        let counts = self.counts(graph);
        let state = [(&sides, classes), (&values, classes), (&strength, 1)];
        let states = graph.repeat("settled", classes, &state, |graph, state| {
            let [sides, values, strength] = state else { unreachable!("three states") };
            self.turn(graph, &counts, sides, values, strength)
        });
        states[1].clone()
    }

    fn place(&self, label: LabelId) -> usize {
        match self.plan.classes.binary_search(&label) {
            Ok(place) => place,
            Err(_) => unreachable!("a class that takes part"),
        }
    }

    fn matrix(&self, lists: &[&[Literal]], graph: &mut GraphBuilder) -> Value {
        let width = 2 * self.classes();
        let mut cells = vec![0.0; lists.len() * width];
        for (row, literals) in cells.chunks_mut(width).zip(lists) {
            for literal in *literals {
                let half = if literal.is_negated() { self.classes() } else { 0 };
                row[half + self.place(literal.label())] = 1.0;
            }
        }
        graph.floats(&[lists.len(), width], &cells)
    }

    fn counts(&self, graph: &mut GraphBuilder) -> Counts {
        let counters = &self.plan.counters;
        let mut bounds = |of: &dyn Fn(&Counter) -> f32| {
            let numbers: Vec<f32> = counters.iter().map(of).collect();
            graph.floats(&[counters.len(), 1], &numbers)
        };
        let spare = |one: &Counter| one.members.len() as f32 - one.least as f32;
        let tight = bounds(&|one| spare(one) - 0.5);
        let has_guards = counters.iter().any(|one| !one.guard.is_empty());
        let limits = has_guards.then(|| {
            let whole = bounds(&|one| one.guard.len() as f32 - 0.5);
            let nearly = bounds(&|one| one.guard.len() as f32 - 1.5);
            let broken = bounds(&|one| spare(one) + 0.5);
            (whole, nearly, broken)
        });
        let lists: Vec<&[Literal]> = counters.iter().map(|one| &one.members[..]).collect();
        let members = self.matrix(&lists, graph);
        let guards = limits.map(|(whole, nearly, broken)| {
            let lists: Vec<&[Literal]> = counters.iter().map(|one| &one.guard[..]).collect();
            Guards { members: self.matrix(&lists, graph), whole, nearly, broken }
        });
        Counts { members, tight, guards }
    }

    /// Settles what counting finds, and the surest open class of the rows in which it finds nothing.
    fn turn(
        &self,
        graph: &mut GraphBuilder,
        counts: &Counts,
        sides: &Value,
        values: &Value,
        strength: &Value,
    ) -> (Value, Vec<Value>) {
        let zero = graph.floats(&[], &[0.0]);
        let half = graph.floats(&[], &[0.5]);
        let is_open = graph.pair("Equal", sides, &zero);
        let [holds, fails] = self.forced(graph, counts, sides);
        let found = [holds, fails].map(|count| {
            let is_forced = graph.pair("Greater", &count, &half);
            graph.pair("And", &is_forced, &is_open)
        });
        let either = graph.pair("Or", &found[0], &found[1]);
        let either = graph.cast(&either, FLOAT);
        let some = graph.reduce_kept("ReduceMax", &either, 0);
        let is_some = graph.pair("Greater", &some, &half);
        let surest = self.surest(graph, &is_open);
        let none = not(graph, &is_some);
        let taken = graph.pair("And", &surest, &is_open);
        let taken = graph.pair("And", &taken, &none);
        let sureness = choose(graph, &taken, &self.sureness, &zero);
        let sureness = graph.reduce_kept("ReduceMax", &sureness, 0);
        let new_strength = choose(graph, &is_some, strength, &sureness);

        let is_above = graph.pair("Greater", self.margins, &zero);
        let is_below = not(graph, &is_above);
        let mut settles = |found: &Value, side: &Value| {
            let taken = graph.pair("And", &taken, side);
            let all = graph.pair("Or", found, &taken);
            graph.cast(&all, FLOAT)
        };
        let (gains, loses) = (settles(&found[0], &is_above), settles(&found[1], &is_below));
        let new_sides = graph.pair("Add", sides, &gains);
        let new_sides = graph.pair("Sub", &new_sides, &loses);
        let denied = graph.node("Neg", &[strength], Vec::new());
        let new_values = choose(graph, &found[1], &denied, values);
        let new_values = choose(graph, &found[0], strength, &new_values);
        let is_left = graph.pair("Equal", &new_sides, &zero);
        let goes_on = graph.any(&is_left);
        (goes_on, vec![new_sides, new_values, new_strength])
    }

    /// How many counters force each class to hold, and to fail.
    fn forced(&self, graph: &mut GraphBuilder, counts: &Counts, sides: &Value) -> [Value; 2] {
        let denied = graph.node("Neg", &[sides], Vec::new());
        let [holds, fails] = [sides, &denied].map(|of| graph.node("Relu", &[of], Vec::new()));
        let failing = graph.concat(&[fails.clone(), holds.clone()], 0);
        let failing = graph.pair("MatMul", &counts.members, &failing);
        let mut forces = graph.pair("Greater", &failing, &counts.tight);
        let guard = counts.guards.as_ref().map(|guards| {
            let holding = graph.concat(&[holds, fails], 0);
            let holding = graph.pair("MatMul", &guards.members, &holding);
            let whole = graph.pair("Greater", &holding, &guards.whole);
            forces = graph.pair("And", &forces, &whole);
            let broken = graph.pair("Greater", &failing, &guards.broken);
            let nearly = graph.pair("Greater", &holding, &guards.nearly);
            let denies = graph.pair("And", &broken, &nearly);
            let partly = not(graph, &whole);
            let denies = graph.pair("And", &denies, &partly);
            self.spread(graph, &guards.members, &denies)
        });
        let members = self.spread(graph, &counts.members, &forces);
        let [holds, fails] = self.halves(graph, &members);
        let Some(guard) = guard else { return [holds, fails] };
        let [denied, affirmed] = self.halves(graph, &guard);
        [graph.pair("Add", &holds, &affirmed), graph.pair("Add", &fails, &denied)]
    }

    /// For each literal, in how many of these counters it is.
    fn spread(&self, graph: &mut GraphBuilder, matrix: &Value, counters: &Value) -> Value {
        let counters = graph.cast(counters, FLOAT);
        graph.node("Gemm", &[matrix, &counters], vec![int("transA", 1)])
    }

    fn halves(&self, graph: &mut GraphBuilder, literals: &Value) -> [Value; 2] {
        let halves = graph.split(literals, &[self.classes(), self.classes()]);
        [halves[0].clone(), halves[1].clone()]
    }

    /// Of each row, the open class that is settled next.
    fn surest(&self, graph: &mut GraphBuilder, is_open: &Value) -> Value {
        let classes = self.classes();
        let sureness = among(graph, is_open, &self.sureness);
        let mut place = graph.node("ArgMax", &[&sureness], vec![int("axis", 0)]);
        if !self.plan.preferred.is_empty() {
            let mut ranks = vec![0.0; classes];
            for (rank, &label) in self.plan.preferred.iter().rev().enumerate() {
                ranks[self.place(label)] = rank as f32 + 1.0;
            }
            let ranks = graph.floats(&[classes, 1], &ranks);
            let ranks = among(graph, is_open, &ranks);
            let first = graph.node("ArgMax", &[&ranks], vec![int("axis", 0)]);
            let highest = graph.reduce_kept("ReduceMax", &ranks, 0);
            let half = graph.floats(&[], &[0.5]);
            let is_preferred = graph.pair("Greater", &highest, &half);
            place = choose(graph, &is_preferred, &first, &place);
        }
        let places = graph.integers(&[classes, 1], 0..classes);
        graph.pair("Equal", &places, &place)
    }
}
