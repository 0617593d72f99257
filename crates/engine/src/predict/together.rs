//! Several become one: the members of an ensemble, and the learners of a blend with their members.
//!
//! ```text
//! logits of each member ── layer ──> coherent ── weighted mean of probabilities ──> logits of the model
//! ```
//!
//! Each member is made coherent by itself first: a network that was trained through the layer may leave a
//! class to any of the ways in which rules derive it, and members that chose different ways would cancel
//! each other out in a mean of what they say before the layer. The mean need not obey the rules: the layer
//! comes last, in [`Head`].
//!
//! Invariants: this is the only way members become one. They are summed in the order of parts and of
//! seeds, in 64 bits, so the bits depend neither on threads nor on how rows are split. A single member is
//! not touched.

use rulebound_core::{Delegate, LayerError, Program, Thresholds};

use super::blend_sum::BlendSum;
use super::head::Head;
use super::predictions::Predictions;
use crate::model::Model;

/// Makes one of the members of a model.
#[derive(Debug)]
pub(crate) struct Together {
    head: Head,
    /// The classes that rules always derive. They keep their own scores: the last layer derives them
    /// again, and is seen to do so.
    facts: Vec<usize>,
    coherent: Vec<f32>,
    numbers: Vec<f32>,
    decided: Predictions,
    sum: BlendSum,
}

impl Together {
    fn new(mut head: Head) -> Self {
        let facts = facts(&mut head);
        let (coherent, numbers) = (Vec::new(), Vec::new());
        let decided = Predictions::default();
        Self { head, facts, coherent, numbers, decided, sum: BlendSum::new(0) }
    }

    /// Begins with so many cells, of which nothing has been said.
    pub(super) fn begin(&mut self, cells: usize) {
        self.sum = BlendSum::new(cells);
    }

    /// Adds what a member says of whole rows, the first of which begins at the cell `first`. Where it is
    /// not a number, the result is not a number either.
    pub(super) fn add(&mut self, weight: f64, first: usize, logits: &[f32]) {
        let classes = self.classes().max(1);
        self.numbers.clear();
        let number = |&logit: &f32| if logit.is_nan() { 0.0 } else { logit };
        self.numbers.extend(logits.iter().map(number));
        settled(self.head.margins(&self.numbers, &mut self.coherent));
        let coherent = &mut self.coherent;
        let own = coherent.iter_mut().zip(logits);
        own.filter(|(_, logit)| logit.is_nan()).for_each(|(to, _)| *to = f32::NAN);
        for &fact in &self.facts {
            let own = coherent.iter_mut().zip(logits).skip(fact).step_by(classes);
            own.for_each(|(to, logit)| *to = *logit);
        }
        self.sum.add_at(first, weight, coherent);
    }

    /// The logits of all members together.
    pub(super) fn write(&self, logits: &mut [f32]) {
        self.sum.write(logits);
    }

    /// How many classes a row has.
    pub(super) fn classes(&self) -> usize {
        self.head.thresholds().len()
    }

    /// Who decides each class of some rows in a member.
    pub(super) fn delegates(&mut self, logits: &[f32]) -> &[Delegate] {
        settled(self.head.predict(logits, &mut self.decided));
        &self.decided.delegates
    }
}

/// Whole rows of numbers under rules without requirements cannot fail.
fn settled(result: Result<(), LayerError>) {
    if let Err(error) = result {
        unreachable!("whole rows of numbers, and nothing to settle: {error}");
    }
}

/// The classes whose score is infinite whatever members say.
fn facts(head: &mut Head) -> Vec<usize> {
    let mut out = Predictions::default();
    settled(head.predict(&vec![-1.0; head.thresholds().len()], &mut out));
    let is_fact = |class: &usize| out.delegates[*class].literal().is_none();
    (0..out.delegates.len()).filter(is_fact).collect()
}

impl Model {
    /// What makes one of its members.
    pub(crate) fn together(&self) -> Together {
        let thresholds = Thresholds::half(self.labels().len());
        // Thresholds may be tuned to the result, so it does not depend on them.
        Together::new(Head::new(self.labels(), &thresholds, self.member_rules().as_ref()))
    }

    /// The rules that each of several members obeys by itself. Requirements are settled once, for all of
    /// them together.
    pub(crate) fn member_rules(&self) -> Option<Program> {
        self.rules().map(Program::without_requirements)
    }

    /// The logits of parts together, each with its weight and its members: the same bits as those of
    /// [`predictor`](Self::predictor) if they are the parts of this model. Other members of the same
    /// classes may take their place.
    pub fn blended<M: AsRef<[f32]>>(&self, parts: &[(f64, Vec<M>)]) -> Vec<f32> {
        match parts {
            [(_, members)] if members.len() == 1 => members[0].as_ref().to_vec(),
            _ => self.coherent_mean(parts),
        }
    }

    /// As [`blended`](Self::blended), where also a single member is made coherent: what it is in a
    /// blend.
    pub(crate) fn coherent_mean<M: AsRef<[f32]>>(&self, parts: &[(f64, Vec<M>)]) -> Vec<f32> {
        let first = parts.iter().flat_map(|(_, members)| members.first()).next();
        let mut logits = vec![0.0; first.map_or(0, |logits| logits.as_ref().len())];
        let mut together = self.together();
        together.begin(logits.len());
        for (weight, members) in parts.iter().filter(|(weight, _)| *weight > 0.0) {
            let weight = weight / members.len() as f64;
            members.iter().for_each(|member| together.add(weight, 0, member.as_ref()));
        }
        together.write(&mut logits);
        logits
    }
}
