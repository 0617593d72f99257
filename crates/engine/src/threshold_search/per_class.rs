//! A threshold for each class: one class after the other gets its best, given all others.

use rulebound_core::Thresholds;
use rulebound_core::metrics::Counts;

use super::consequences::Consequences;
use super::objective::{Objective, total};
use super::state::{State, count};
use crate::labelled_scores::LabelledScores;

/// Differences of values that are not differences: sums are rounded.
const NOTHING: f64 = 1e-12;

/// A threshold of a class: how many rows, of those in the order of their scores, are above it.
struct Candidate {
    rows: usize,
    value: f64,
    threshold: f64,
}

/// Goes through the classes until none improves, at most `passes` times.
pub(super) fn search(
    rows: &LabelledScores<'_>,
    objective: &Objective,
    mut state: State,
    start: &Thresholds,
    passes: usize,
) -> (Thresholds, Vec<Counts>, usize) {
    let consequences = Consequences::new(rows.program(), rows.labels.len());
    let mut values: Vec<f64> = rows.labels.ids().map(|label| start.value(label)).collect();
    let mut done = 0;
    let mut improves = true;
    while done < passes && std::mem::take(&mut improves) {
        done += 1;
        for class in rows.evaluated_classes() {
            if let Some(threshold) = move_class(rows, objective, &mut state, class, &consequences) {
                values[class] = threshold;
                improves = true;
            }
        }
    }
    let thresholds = match Thresholds::new(values) {
        Ok(thresholds) => thresholds,
        Err(error) => unreachable!("candidates are thresholds: {error}"),
    };
    let counts = state.counted(rows);
    (thresholds, counts, done)
}

/// Moves the threshold of a class to the best place, if that is better than where it is.
fn move_class(
    rows: &LabelledScores<'_>,
    objective: &Objective,
    state: &mut State,
    class: usize,
    consequences: &Consequences<'_>,
) -> Option<f64> {
    let classes = rows.labels.len();
    let affected = consequences.of(class);
    let differences = state.differences(class, classes, consequences, &affected);
    let score = |row: usize| rows.scores[row * classes + class];
    let mut order: Vec<usize> = (0..rows.rows()).collect();
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let mut sweep = Sweep::new(rows, objective, state);
    let current = sweep.value();
    // No row is above the threshold at first.
    for &row in order.iter().filter(|&&row| state.above[row * classes + class]) {
        sweep.flip(row, &differences[row]);
    }
    let mut best: Option<Candidate> = None;
    let mut consider = |value: f64, rows: usize, threshold: &dyn Fn() -> Option<f64>| {
        let at_least = best.as_ref().map_or(current + NOTHING, |best| best.value - NOTHING);
        if value < at_least {
            return;
        }
        let Some(threshold) = threshold() else { return };
        let from_half = |threshold: f64| (threshold - 0.5).abs();
        let is_better = best.as_ref().is_none_or(|best| {
            value > best.value + NOTHING || from_half(threshold) < from_half(best.threshold)
        });
        if is_better {
            best = Some(Candidate { rows, value, threshold });
        }
    };
    let highest = order.first().map(|&row| score(row))?;
    consider(sweep.value(), 0, &|| rows.over(highest));
    let mut at = 0;
    for tied in order.chunk_by(|&a, &b| score(a) == score(b)) {
        tied.iter().for_each(|&row| sweep.flip(row, &differences[row]));
        at += tied.len();
        let lowest = score(tied[0]);
        consider(sweep.value(), at, &|| match order.get(at) {
            Some(&next) => rows.between(lowest, score(next)),
            None => rows.under(lowest),
        });
    }
    let best = best?;
    accept(rows, objective, state, class, &order, &differences, &best)
}

/// Makes the move, if it is an improvement to the last bit.
fn accept(
    rows: &LabelledScores<'_>,
    objective: &Objective,
    state: &mut State,
    class: usize,
    order: &[usize],
    differences: &[Vec<usize>],
    best: &Candidate,
) -> Option<f64> {
    let classes = rows.labels.len();
    let before = objective.value(rows, &state.counted(rows));
    let moved = |state: &State, place: usize, row: usize| {
        state.above[row * classes + class] != (place < best.rows)
    };
    let moved: Vec<usize> = (0..)
        .zip(order)
        .filter(|&(place, &row)| moved(state, place, row))
        .map(|(_, &row)| row)
        .collect();
    let flip = |state: &mut State| {
        for &row in &moved {
            state.above[row * classes + class] ^= true;
            for &other in &differences[row] {
                let at = row * classes + other;
                state.decided[at] ^= true;
                if rows.counts(at) {
                    let (counts, decided) = (&mut state.counts[other], state.decided[at]);
                    count(counts, !decided, rows.truth[at], -1);
                    count(counts, decided, rows.truth[at], 1);
                }
            }
        }
    };
    flip(state);
    if objective.value(rows, &state.counted(rows)) > before {
        return Some(best.threshold);
    }
    flip(state);
    None
}

/// The value of the objective while rows are moved to the other side of a threshold and back.
struct Sweep<'a> {
    rows: &'a LabelledScores<'a>,
    objective: &'a Objective,
    decided: &'a [bool],
    /// Rows that were moved an odd number of times.
    is_moved: Vec<bool>,
    counts: Vec<Counts>,
    total: Counts,
    sum: f64,
}

impl<'a> Sweep<'a> {
    fn new(rows: &'a LabelledScores<'a>, objective: &'a Objective, state: &'a State) -> Self {
        let counted = state.counted(rows);
        Self {
            rows,
            objective,
            decided: &state.decided,
            is_moved: vec![false; rows.rows()],
            counts: state.counts.clone(),
            total: total(&counted),
            sum: objective.value(rows, &counted),
        }
    }

    fn value(&self) -> f64 {
        if *self.objective == Objective::MicroF1 { self.total.f1() } else { self.sum }
    }

    /// Moves a row, where these classes are then decided differently.
    fn flip(&mut self, row: usize, differing: &[usize]) {
        let is_moved = self.is_moved[row];
        self.is_moved[row] = !is_moved;
        let start = row * self.rows.labels.len();
        for &class in differing.iter().filter(|&&class| self.rows.counts(start + class)) {
            let at = start + class;
            let (decided, is_true) = (self.decided[at] != is_moved, self.rows.truth[at]);
            let counts = &mut self.counts[class];
            self.sum -= self.objective.of_class(class, *counts);
            for counts in [&mut *counts, &mut self.total] {
                count(counts, decided, is_true, -1);
                count(counts, !decided, is_true, 1);
            }
            self.sum += self.objective.of_class(class, *counts);
        }
    }
}
