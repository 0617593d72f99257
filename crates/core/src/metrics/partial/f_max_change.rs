//! What F-max needs of a score: how precision and recall change when a threshold falls to it.

use std::ops::AddAssign;

use super::bounded::Bounded;
use super::fixed_sum::FixedSum;

/// What happens when a threshold falls to a score, summed over rows with a true class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct FMaxChange {
    /// By how much precisions change.
    pub precision: FixedSum,
    /// By how much precisions of rows that have a class already can rise on the way, if right classes come first.
    pub best: FixedSum,
    /// By how much recalls rise.
    pub recall: FixedSum,
    /// Rows that get their first class.
    pub rows: u64,
    /// Those of them that get a right one.
    pub right_rows: u64,
}

impl AddAssign for FMaxChange {
    fn add_assign(&mut self, other: Self) {
        self.precision += other.precision;
        self.best += other.best;
        self.recall += other.recall;
        self.rows += other.rows;
        self.right_rows += other.right_rows;
    }
}

/// The changes of one row, given as keys of scores from the highest down, and what is true.
pub(super) fn each_change(
    row: &[(u64, bool)],
    support: u64,
    mut visit: impl FnMut(u64, FMaxChange),
) {
    let (mut hits, mut predicted) = (0u64, 0u64);
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    for tied in row.chunk_by(|a, b| a.0 == b.0) {
        let right = tied.iter().filter(|one| one.1).count() as u64;
        let before = share(hits, predicted);
        let is_first = predicted == 0;
        let best = if is_first { before } else { share(hits + right, predicted + right) };
        let recall = FixedSum::step(share(hits, support), share(hits + right, support));
        hits += right;
        predicted += tied.len() as u64;
        visit(
            tied[0].0,
            FMaxChange {
                precision: FixedSum::step(before, share(hits, predicted)),
                best: FixedSum::step(before, best),
                recall,
                rows: u64::from(is_first),
                right_rows: u64::from(is_first && right > 0),
            },
        );
    }
}

/// F-max of the changes from the highest score down, over so many rows with a true class.
pub(super) fn f_max(
    changes: impl Iterator<Item = FMaxChange>,
    supported: u64,
    is_cut: bool,
) -> Option<Bounded> {
    let mut above = FMaxChange::default();
    let (mut best, mut high) = (0.0f64, 0.0f64);
    let f1 = |precision: f64, recall: f64| match precision + recall > 0.0 {
        true => 2.0 * precision * recall / (precision + recall),
        false => 0.0,
    };
    for change in changes {
        let before = above;
        above += change;
        let recall = above.recall.value() / supported as f64;
        best = best.max(f1(above.precision.value() / above.rows as f64, recall));
        if is_cut {
            // Somewhere on the way: rows with a class have at most their best precision, rows with a first right
            // one at most 1, and those with a wrong one need not be there yet.
            let mut most = before.precision;
            most += change.best;
            let rows = before.rows + change.right_rows;
            let sum = most.value() + change.right_rows as f64;
            high = high.max(f1((sum / rows.max(1) as f64).min(1.0), recall));
        }
    }
    (supported > 0).then(|| match is_cut {
        false => Bounded::exact(best),
        true => Bounded::within(best, best, high.max(best)),
    })
}
