//! One threshold for all classes: every distinct score of any class is a candidate.

use rayon::prelude::*;
use rulebound_core::Thresholds;
use rulebound_core::metrics::Counts;

use super::consequences::{Affected, Consequences};
use super::objective::{Objective, total};
use super::state::{State, count};
use crate::labelled_scores::LabelledScores;

/// Differences of values that are not differences: sums are rounded.
const NOTHING: f64 = 1e-12;

/// A score with its place.
#[derive(Clone, Copy)]
struct Cell {
    score: f64,
    row: u32,
    class: u32,
}

/// Tries every threshold; keeps the start where none is better.
pub(super) fn search(
    rows: &LabelledScores<'_>,
    objective: &Objective,
    start: State,
    values: &Thresholds,
) -> (Thresholds, Vec<Counts>, usize) {
    let of_start = start.counted(rows);
    let found = best(rows, objective);
    let tuned = found.and_then(|threshold| {
        let thresholds = Thresholds::uniform(rows.labels.len(), threshold).ok()?;
        let counts = State::new(rows, &thresholds).counted(rows);
        Some((thresholds, counts))
    });
    match tuned {
        Some((thresholds, counts))
            if objective.value(rows, &counts) > objective.value(rows, &of_start) =>
        {
            (thresholds, counts, 1)
        }
        _ => (values.clone(), of_start, 1),
    }
}

/// The best threshold: no class is above it at first, then it is lowered score by score.
fn best(rows: &LabelledScores<'_>, objective: &Objective) -> Option<f64> {
    let classes = rows.labels.len();
    let consequences = Consequences::new(rows.program(), classes);
    let affected: Vec<Affected> =
        (0..classes).into_par_iter().map(|class| consequences.of(class)).collect();
    let cell = |(at, &score): (usize, &f64)| Cell {
        score,
        row: (at / classes) as u32,
        class: (at % classes) as u32,
    };
    let mut cells: Vec<Cell> = rows.scores.iter().enumerate().map(cell).collect();
    cells.par_sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut state = State::of_above(rows, vec![false; rows.scores.len()]);
    let mut running = Running::new(rows, objective, &state);
    let mut best: Option<(f64, f64)> = None;
    let mut consider = |value: f64, threshold: &dyn Fn() -> Option<f64>| {
        if best.is_some_and(|(best, _)| value < best - NOTHING) {
            return;
        }
        let Some(threshold) = threshold() else { return };
        let from_half = |threshold: f64| (threshold - 0.5).abs();
        let is_better = best.is_none_or(|(best, at)| {
            value > best + NOTHING || from_half(threshold) < from_half(at)
        });
        if is_better {
            best = Some((value, threshold));
        }
    };
    let highest = cells.first()?.score;
    consider(running.value(), &|| rows.over(highest));
    let mut at = 0;
    for tied in cells.chunk_by(|a, b| a.score == b.score) {
        for cell in tied {
            running.raise(&mut state, *cell, &consequences, &affected[cell.class as usize]);
        }
        at += tied.len();
        let lowest = tied[0].score;
        consider(running.value(), &|| match cells.get(at) {
            Some(next) => rows.between(lowest, next.score),
            None => rows.under(lowest),
        });
    }
    best.map(|(_, threshold)| threshold)
}

/// The value of the objective while scores rise above the threshold.
struct Running<'a> {
    rows: &'a LabelledScores<'a>,
    objective: &'a Objective,
    total: Counts,
    sum: f64,
    before: Vec<bool>,
}

impl<'a> Running<'a> {
    fn new(rows: &'a LabelledScores<'a>, objective: &'a Objective, state: &State) -> Self {
        let counted = state.counted(rows);
        let (total, sum) = (total(&counted), objective.value(rows, &counted));
        Self { rows, objective, total, sum, before: Vec::new() }
    }

    fn value(&self) -> f64 {
        if *self.objective == Objective::MicroF1 { self.total.f1() } else { self.sum }
    }

    /// A score is above the threshold now.
    fn raise(
        &mut self,
        state: &mut State,
        cell: Cell,
        consequences: &Consequences<'_>,
        affected: &Affected,
    ) {
        let classes = self.rows.labels.len();
        let start = cell.row as usize * classes;
        let above = &mut state.above[start..start + classes];
        let decided = &mut state.decided[start..start + classes];
        above[cell.class as usize] = true;
        if decided[cell.class as usize] {
            return;
        }
        self.before.clear();
        self.before.extend(affected.classes().map(|class| decided[class]));
        consequences.decide(affected, above, decided);
        for (class, &before) in affected.classes().zip(&self.before) {
            if decided[class] == before || !self.rows.counts(start + class) {
                continue;
            }
            let is_true = self.rows.truth[start + class];
            let counts = &mut state.counts[class];
            self.sum -= self.objective.of_class(class, *counts);
            for counts in [&mut *counts, &mut self.total] {
                count(counts, before, is_true, -1);
                count(counts, !before, is_true, 1);
            }
            self.sum += self.objective.of_class(class, *counts);
        }
    }
}
