//! One row raised by the rules, class by class, without what overruled classes had raised.
//!
//! *What an overruled class raised is taken back.* Where requirements overrule a class that occurs in
//! bodies, the rules are applied again to the model's own margins, and the row is settled anew, until no
//! further class is overruled. In bodies, a class that fell is then as surely absent as it was settled to
//! be, so that its negation holds; one that was lifted is present for requirements only: it raises
//! nothing, and neither does its negation. Each class is noted at most twice, so this ends.
//!
//! Invariant at the end: every literal that a rule read as holding holds in the settled row.

use super::cycle::CycleSpace;
use super::plan::{CpuPlan, Step};
use super::scalar::{Reading, View, evaluate};
use crate::delegate::Delegate;
use crate::label::LabelId;
use crate::margin::Margin;

/// What a class counts as in the bodies of rules.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Counts<F> {
    /// What the rules make of it.
    Raised,
    /// It was predicted, and settled to be this.
    Fell(Reading<F>),
    /// It was not predicted, and is required.
    Lifted,
    /// It was overruled in both directions, one after the other, and holds on neither side.
    Neither,
}

/// The memory for one row.
#[derive(Clone, Debug)]
pub(crate) struct Raising<F> {
    /// The value of each class after the rules, and its delegate.
    pub readings: Vec<Reading<F>>,
    /// The rule that gave it, by its place among the rules of the head, in the order written and without
    /// those that support themselves.
    pub places: Vec<Option<usize>>,
    counts: Vec<Counts<F>>,
    /// The classes that do not count as what the rules make of them.
    overruled: Vec<u32>,
    space: CycleSpace<F>,
}

impl<F: Margin> Raising<F> {
    pub fn new(plan: &CpuPlan) -> Self {
        let nothing = Reading { value: F::default(), delegate: Delegate::default() };
        Self {
            readings: vec![nothing; plan.classes],
            places: vec![None; plan.classes],
            counts: vec![Counts::Raised; plan.classes],
            overruled: Vec::with_capacity(plan.classes),
            space: CycleSpace::for_cycles(&plan.cycles),
        }
    }

    /// Forgets who was overruled in the row before.
    pub fn start(&mut self) {
        for class in self.overruled.drain(..) {
            self.counts[class as usize] = Counts::Raised;
        }
    }

    /// Raises a row from the margins of the model.
    pub fn run(&mut self, plan: &CpuPlan, own: &[F]) {
        for (class, (reading, &own)) in self.readings.iter_mut().zip(own).enumerate() {
            let delegate = Delegate::own(LabelId::new(class));
            *reading = Reading { value: own.canonical(), delegate };
        }
        self.places.fill(None);
        let Self { readings, places, counts, space, .. } = self;
        let mut row = Row { readings, places, counts };
        for &step in &plan.steps {
            evaluate(plan, step, &mut row, space);
        }
    }

    /// Takes note of those of `classes` that settling overruled: their values before it and after, and
    /// their delegates after it unless they are not wanted. Returns whether the rules have to be applied
    /// again.
    pub fn note_overruled(
        &mut self,
        classes: &[u32],
        before: &[F],
        after: &[F],
        delegates: &[Delegate],
    ) -> bool {
        let mut has_changed = false;
        for &class in classes {
            let at = class as usize;
            let (was, is) = (before[at].is_predicted(), after[at].is_predicted());
            self.counts[at] = match self.counts[at] {
                Counts::Raised if was == is => continue,
                Counts::Raised if is => Counts::Lifted,
                Counts::Raised => {
                    let delegate = delegates.get(at).copied().unwrap_or_default();
                    Counts::Fell(Reading { value: after[at], delegate })
                }
                Counts::Fell(_) if is => Counts::Neither,
                Counts::Lifted if was && !is => Counts::Neither,
                Counts::Fell(_) | Counts::Lifted | Counts::Neither => continue,
            };
            if self.counts[at] != Counts::Neither {
                self.overruled.push(class);
            }
            has_changed = true;
        }
        has_changed
    }
}

/// The readings of one row.
struct Row<'a, F> {
    readings: &'a mut [Reading<F>],
    places: &'a mut [Option<usize>],
    counts: &'a [Counts<F>],
}

impl<F: Margin> View<F> for Row<'_, F> {
    fn own(&self, label: u32) -> Reading<F> {
        self.readings[label as usize]
    }

    fn literal(&self, _head: u32, code: u32) -> Reading<F> {
        let negated = code & 1 == 1;
        match self.counts[(code >> 1) as usize] {
            Counts::Raised => self.own(code >> 1).flip(negated),
            Counts::Fell(reading) => reading.flip(negated),
            Counts::Lifted if !negated => self.own(code >> 1),
            Counts::Lifted | Counts::Neither => Reading::constant(false),
        }
    }

    fn waits(&self, _head: u32, code: u32) -> bool {
        matches!(self.counts[(code >> 1) as usize], Counts::Raised | Counts::Lifted)
    }

    fn settle(&mut self, label: u32, reading: Reading<F>, place: usize) {
        self.readings[label as usize] = reading;
        self.places[label as usize] = Some(place);
    }
}

impl CpuPlan {
    /// The classes that occur in the body of a rule, in order.
    pub fn body_classes(&self) -> Vec<u32> {
        let mut occurs = vec![false; self.classes];
        for &step in &self.steps {
            match step {
                Step::Class { start, end, .. } => {
                    let mut at = start as usize;
                    while at < end as usize {
                        self.body(&mut at)
                            .iter()
                            .for_each(|&code| occurs[(code >> 1) as usize] = true);
                    }
                }
                Step::Edges { start, end } => {
                    for edge in self.stream[start as usize..end as usize].chunks_exact(2) {
                        occurs[(edge[1] >> 1) as usize] = true;
                    }
                }
                Step::Cycle(cycle) => {
                    let codes = self.cycles[cycle as usize].body_codes();
                    codes.for_each(|code| occurs[(code >> 1) as usize] = true);
                }
            }
        }
        (0..self.classes as u32).filter(|&class| occurs[class as usize]).collect()
    }
}
