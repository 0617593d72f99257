//! What is above its threshold, what the rules make of it, and how that agrees with the truth.

use rayon::prelude::*;
use rulebound_core::metrics::Counts;
use rulebound_core::{ConstraintLayer, Thresholds};

use super::consequences::{Affected, Consequences};
use crate::labelled_scores::LabelledScores;

/// The decisions of all rows.
pub(super) struct State {
    /// Before the layer, row-major.
    pub(super) above: Vec<bool>,
    /// After it.
    pub(super) decided: Vec<bool>,
    /// Of each class; those that do not count have none.
    pub(super) counts: Vec<Counts>,
}

impl State {
    /// With these thresholds; the layer itself decides.
    pub(super) fn new(rows: &LabelledScores<'_>, thresholds: &Thresholds) -> Self {
        Self::of_above(rows, rows.decisions(thresholds))
    }

    /// With these classes above their thresholds.
    pub(super) fn of_above(rows: &LabelledScores<'_>, above: Vec<bool>) -> Self {
        let decided = match rows.program() {
            None => above.clone(),
            Some(program) => {
                let margins: Vec<f32> =
                    above.iter().map(|above| if *above { 1.0 } else { -1.0 }).collect();
                let half = Thresholds::half(rows.labels.len());
                let layer = ConstraintLayer::new(program, half);
                let mut coherent = vec![0.0; margins.len()];
                match layer.forward(&margins, &mut coherent, &mut layer.workspace()) {
                    Ok(()) => coherent.iter().map(|margin| *margin > 0.0).collect(),
                    Err(error) => unreachable!("whole rows of numbers: {error}"),
                }
            }
        };
        let counts = Self::counts_of(rows, &decided);
        Self { above, decided, counts }
    }

    /// The counts of each class.
    pub(super) fn counts_of(rows: &LabelledScores<'_>, decided: &[bool]) -> Vec<Counts> {
        let mut counts = vec![Counts::default(); rows.labels.len()];
        let all = decided.iter().zip(rows.truth()).enumerate();
        for (at, (&decided, &is_true)) in all.filter(|(at, _)| rows.counts(*at)) {
            count(&mut counts[at % rows.labels.len()], decided, is_true, 1);
        }
        counts
    }

    /// Adds what is decided in one row, from 0, to the counts of all classes.
    pub(super) fn add_row(
        rows: &LabelledScores<'_>,
        row: usize,
        decided: &[bool],
        counts: &mut [Counts],
    ) {
        let first = row * decided.len();
        for (class, (&decided, counts)) in decided.iter().zip(counts).enumerate() {
            if rows.counts(first + class) {
                count(counts, decided, rows.truth[first + class], 1);
            }
        }
    }

    /// The counts of the classes that are evaluated.
    pub(super) fn counted(&self, rows: &LabelledScores<'_>) -> Vec<Counts> {
        rows.evaluated_classes().map(|class| self.counts[class]).collect()
    }

    /// For each row, which classes are decided differently if `class` moves to the other side of
    /// its threshold there.
    pub(super) fn differences(
        &mut self,
        class: usize,
        classes: usize,
        consequences: &Consequences<'_>,
        affected: &Affected,
    ) -> Vec<Vec<usize>> {
        let rows = self.above.par_chunks_mut(classes).zip(self.decided.par_chunks_mut(classes));
        rows.map(|(above, decided)| {
            // What is decided anyway does not change by being above its threshold too.
            if !above[class] && decided[class] {
                return Vec::new();
            }
            let before: Vec<bool> = affected.classes().map(|class| decided[class]).collect();
            above[class] = !above[class];
            consequences.decide(affected, above, decided);
            above[class] = !above[class];
            let mut differing = Vec::new();
            for (class, before) in affected.classes().zip(before) {
                if decided[class] != before {
                    differing.push(class);
                    decided[class] = before;
                }
            }
            differing
        })
        .collect()
    }
}

/// Adds a decision to the counts, or takes it away.
pub(super) fn count(counts: &mut Counts, decided: bool, is_true: bool, times: i64) {
    let field = match (decided, is_true) {
        (true, true) => &mut counts.true_positives,
        (true, false) => &mut counts.false_positives,
        (false, true) => &mut counts.false_negatives,
        (false, false) => return,
    };
    *field = field.wrapping_add_signed(times);
}
