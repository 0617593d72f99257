//! Thresholds for an objective, on rows whose truth is known, with the rules applied.
//!
//! ```text
//! LabelledScores (before the layer) ── search ──> Tuned (thresholds, counts before and after)
//! ```
//!
//! What the layer decides depends only on which classes are above their thresholds before it: it
//! selects by comparing and negating margins, and signs follow signs. So a threshold is moved past
//! one row after the other, and only the classes that follow from its class are decided again, in
//! that row (`Consequences`).
//!
//! One class after the other gets its best threshold, given all others, until no class improves; or
//! all classes get the best single one. Candidates are the midpoints of neighbouring scores. Only
//! improvements are accepted, so the result is at least as good as 0.5 on these rows.
//!
//! Requirements are settled by how far scores are from their thresholds; under them, the layer decides a row
//! wherever its outcome can change, and not all candidates are tried (`Required`).

mod class_rows;
mod consequences;
mod costs_file;
mod cuts;
mod decided;
mod objective;
mod one;
mod per_class;
mod required;
mod state;

pub use costs_file::read_costs;
pub use objective::{ClassCosts, Objective};

use rulebound_core::metrics::Counts;
use rulebound_core::{LayerError, Thresholds};

use crate::labelled_scores::LabelledScores;
use required::Required;
use state::State;

/// How to search.
#[derive(Clone, PartialEq, Debug)]
pub struct ThresholdSearch {
    /// What is to be as high as possible.
    pub objective: Objective,
    /// One threshold for all classes, instead of one for each.
    pub one: bool,
    /// How often all classes are gone through, at most.
    pub passes: usize,
}

impl Default for ThresholdSearch {
    fn default() -> Self {
        Self { objective: Objective::MacroF1, one: false, passes: 10 }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned {
    /// The thresholds.
    pub thresholds: Thresholds,
    /// The counts of each class that is evaluated, with all thresholds at 0.5.
    pub half: Vec<Counts>,
    /// The same with the thresholds before.
    pub before: Vec<Counts>,
    /// The same with the thresholds found.
    pub after: Vec<Counts>,
    /// How often all classes were gone through.
    pub passes: usize,
}

impl ThresholdSearch {
    /// Searches, starting with 0.5 or the thresholds there are, whichever is better.
    ///
    /// # Errors
    /// [`LayerError::Unsettled`] for a row whose requirements cannot be settled within the bound.
    ///
    /// # Panics
    /// If the sizes do not match.
    pub fn run(&self, rows: &LabelledScores<'_>, before: &Thresholds) -> Result<Tuned, LayerError> {
        let classes = rows.labels.len();
        let half = Thresholds::half(classes);
        if let Some(program) = rows.program().filter(|program| program.has_requirements()) {
            let counted = |thresholds: &Thresholds| -> Result<Vec<Counts>, LayerError> {
                let decided = decided::decide(rows, program, thresholds)?;
                let counts = State::counts_of(rows, &decided);
                Ok(rows.evaluated_classes().map(|class| counts[class]).collect())
            };
            let (of_half, of_before) = (counted(&half)?, counted(before)?);
            let value = |counts: &[Counts]| self.objective.value(rows, counts);
            let keeps = value(&of_before) > value(&of_half) && !self.one;
            let required = Required { rows, program, search: self };
            let start = if keeps { before } else { &half };
            let (thresholds, after, passes) = required.run(start)?;
            return Ok(Tuned { thresholds, half: of_half, before: of_before, after, passes });
        }
        let [at_half, at_before] = [&half, before].map(|start| State::new(rows, start));
        let [of_half, of_before] = [&at_half, &at_before].map(|state| state.counted(rows));
        let value = |counts: &[Counts]| self.objective.value(rows, counts);
        // One threshold for all classes is not found by starting from several.
        let keeps = value(&of_before) > value(&of_half) && !self.one;
        let (start, values) = if keeps { (at_before, before) } else { (at_half, &half) };
        let (thresholds, after, passes) = match self.one {
            true => one::search(rows, &self.objective, start, values),
            false => per_class::search(rows, &self.objective, start, values, self.passes),
        };
        Ok(Tuned { thresholds, half: of_half, before: of_before, after, passes })
    }
}
