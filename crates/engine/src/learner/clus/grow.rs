//! The growth of one tree.

use super::f_test::FTest;
use super::rows::TreeRows;
use super::search::{BestTest, Question, Search};
use super::settings::ClusSettings;
use crate::learner::rows::FitError;
use crate::learner::tree::{GrowingTree, Tree};
use crate::learner::watch::Watch;

/// The rows of a node.
pub(super) struct NodeRows {
    /// The rows in their order, with their weights.
    pub(super) rows: Vec<(u32, f64)>,
    /// For each number, the rows where it is known, largest first; empty for a leaf.
    pub(super) descending: Vec<Vec<u32>>,
}

impl NodeRows {
    fn weight(&self) -> f64 {
        self.rows.iter().map(|row| row.1).sum()
    }
}

/// Grows a tree on rows with these weights; those of weight 0 are left out.
///
/// # Errors
/// If it is to stop.
pub(super) fn grow(
    rows: &TreeRows,
    weights: &[f64],
    settings: &ClusSettings,
    test: &FTest,
    watch: &Watch<'_>,
) -> Result<Tree, FitError> {
    let mut search = Search::new(rows, settings, test);
    let mut tree = GrowingTree::default();
    let drawn = |row: &u32| weights[*row as usize] > 0.0;
    let root = NodeRows {
        rows: (0..).zip(weights.iter().copied()).filter(|row| row.1 > 0.0).collect(),
        descending: (rows.columns.iter())
            .map(|column| column.descending.iter().copied().filter(drawn).collect())
            .collect(),
    };
    let mut marks = vec![Side::Neither; weights.len()];
    let mut waiting = vec![(root, None)];
    while let Some((node, no_of)) = waiting.pop() {
        watch.go_on()?;
        if let Some(parent) = no_of {
            tree.next_is_no_of(parent);
        }
        let is_large = node.weight() >= 2.0 * settings.minimal_weight;
        let best = if is_large { search.best(&node) } else { None };
        let Some(best) = best else {
            tree.leaf(node.rows.iter().map(|&(row, weight)| (rows.set_of[row as usize], weight)));
            continue;
        };
        let at = tree.len();
        let share = best.share as f32;
        let (yes, no) = divide(rows, node, &best, settings, &mut marks);
        match best.question {
            Question::Above(threshold) => tree.above(best.input, threshold, share),
            Question::Among(codes) => tree.among(best.input, codes.into(), share),
        }
        waiting.push((no, Some(at)));
        waiting.push((yes, None));
    }
    Ok(tree.finish())
}

/// Where a row of a node goes.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Neither,
    Yes,
    No,
    Both,
}

/// The rows of the two branches. A row whose value is missing goes to both, with its weight divided.
fn divide(
    rows: &TreeRows,
    node: NodeRows,
    best: &BestTest,
    settings: &ClusSettings,
    marks: &mut [Side],
) -> (NodeRows, NodeRows) {
    let cells = &rows.columns[best.input as usize].cells;
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for &(row, weight) in &node.rows {
        let value = cells[row as usize];
        let side = match (value.is_nan(), best.question.is_yes(value)) {
            (true, _) => Side::Both,
            (false, true) => Side::Yes,
            (false, false) => Side::No,
        };
        marks[row as usize] = side;
        match side {
            Side::Both => {
                yes.push((row, weight * best.share));
                no.push((row, weight * (1.0 - best.share)));
            }
            Side::Yes => yes.push((row, weight)),
            Side::No | Side::Neither => no.push((row, weight)),
        }
    }
    let mut yes = NodeRows { rows: yes, descending: Vec::new() };
    let mut no = NodeRows { rows: no, descending: Vec::new() };
    for (branch, side) in [(&mut yes, Side::Yes), (&mut no, Side::No)] {
        // A branch that cannot be divided needs no order.
        if branch.weight() >= 2.0 * settings.minimal_weight {
            let is_here = |row: &u32| {
                matches!(marks[*row as usize], Side::Both) || marks[*row as usize] == side
            };
            let orders = node.descending.iter();
            branch.descending =
                orders.map(|order| order.iter().copied().filter(is_here).collect()).collect();
        }
    }
    (yes, no)
}
