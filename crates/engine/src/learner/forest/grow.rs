//! The growth of one tree.

use super::rows::{Feature, ForestRows};
use super::settings::ForestSettings;
use super::sketch::Sketch;
use super::split::Splitter;
use super::stream::Stream;
use crate::learner::rows::FitError;
use crate::learner::tree::{GrowingTree, Tree};
use crate::learner::watch::Watch;
use crate::random::Draws;

/// Grows a tree on rows with these weights; those of weight 0 are left out.
///
/// # Errors
/// If it is to stop.
pub(super) fn grow(
    rows: &ForestRows,
    weights: &[f64],
    sketch: &Sketch,
    settings: &ForestSettings,
    draws: Draws,
    watch: &Watch<'_>,
) -> Result<Tree, FitError> {
    let mut splitter = Splitter::new(rows, weights, sketch, settings);
    let mut tree = GrowingTree::default();
    let mut order: Vec<u32> =
        (0..weights.len() as u32).filter(|&row| weights[row as usize] > 0.0).collect();
    let mut waiting = vec![(0, order.len(), None)];
    while let Some((first, end, no_of)) = waiting.pop() {
        watch.go_on()?;
        if let Some(parent) = no_of {
            tree.next_is_no_of(parent);
        }
        let at = tree.len();
        let node = &mut order[first..end];
        let set_of = |row: u32| rows.set_of[row as usize];
        let is_pure = node.iter().all(|&row| set_of(row) == set_of(node[0]));
        let split = if is_pure || node.len() < 2 * settings.leaf {
            None
        } else {
            splitter.best(node, &mut Stream::new(draws, at))
        };
        let Some(split) = split else {
            tree.leaf(node.iter().map(|&row| (set_of(row), weights[row as usize])));
            continue;
        };
        let column = rows.column(split.feature);
        match split.feature {
            Feature::Number(input) => {
                let missing = f32::from(u8::from(split.is_yes(column.mean)));
                tree.above(input, split.threshold, missing);
            }
            Feature::Code(input, code) => tree.among(input, [code].into(), 0.0),
        }
        let (yes, no): (Vec<u32>, Vec<u32>) =
            node.iter().partition(|&&row| split.is_yes(column.cells[row as usize]));
        let middle = first + yes.len();
        order[first..middle].copy_from_slice(&yes);
        order[middle..end].copy_from_slice(&no);
        waiting.push((middle, end, Some(at)));
        waiting.push((first, middle, None));
    }
    Ok(tree.finish())
}
