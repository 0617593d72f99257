//! The rows of a batch, shared among threads.

use super::tile::{LossTile, Rows};
use super::{ConstraintLoss, LossValue, LossWorkspace, Reduction};
use crate::delegate::Delegate;
use crate::layer::{LayerError, expect_len, expect_rows, find_nan};
use crate::margin::FloatMargin;
use pulp::Arch;
use rayon::prelude::*;

/// Rows side by side in a tile, for large batches and for small ones.
const WIDE: usize = 8;
const NARROW: usize = 4;

/// Numbers touched below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 16;

/// What the terms of the loss are made of: logits, labels, and the weight of every term, if they have
/// any.
#[derive(Clone, Copy)]
pub(super) struct LossTerms<'a, F> {
    pub logits: &'a [F],
    pub labels: &'a [bool],
    pub weights: Option<&'a [f32]>,
}

/// The output buffers that the caller wants filled.
pub(super) enum Output<'a, F> {
    Gradient(&'a mut [F]),
    Selection(&'a mut [F], &'a mut [Delegate]),
}

/// Some rows of a batch, for one thread.
pub(super) struct Part<'a, F> {
    pub logits: &'a [F],
    pub labels: &'a [bool],
    /// The weight of every term; none if all are 1.
    pub weights: Option<&'a [f32]>,
    pub output: Output<'a, F>,
    pub rows: &'a mut [(f64, bool)],
}

impl ConstraintLoss {
    pub(super) fn run<F: FloatMargin>(
        &self,
        terms: LossTerms<'_, F>,
        output: Output<'_, F>,
        workspace: &mut LossWorkspace<F>,
    ) -> Result<LossValue, LayerError> {
        let LossTerms { logits, labels, weights } = terms;
        let classes = self.plan.classes;
        expect_rows("the batch of logits", logits.len(), classes)?;
        expect_len("labels", labels.len(), logits.len())?;
        if logits.is_empty() {
            return Ok(LossValue { value: 0.0, broken_rows: 0 });
        }
        let rows = logits.len() / classes;
        workspace.rows.clear();
        workspace.rows.resize(rows, (0.0, false));
        let scale = match self.reduction {
            Reduction::Sum => 1.0,
            Reduction::Mean => {
                let count = match weights {
                    None => rows * self.evaluated.iter().filter(|&&evaluated| evaluated).count(),
                    Some(weights) => {
                        let cells = weights.iter().zip(self.evaluated.iter().cycle());
                        cells.filter(|(weight, evaluated)| **evaluated && **weight != 0.0).count()
                    }
                };
                if count == 0 { 0.0 } else { 1.0 / count as f64 }
            }
        };
        if self.run_tiles(terms, output, workspace, scale) {
            return Err(find_nan(logits, &self.names));
        }
        Ok(LossValue {
            value: workspace.rows.iter().map(|(loss, _)| loss).sum::<f64>() * scale,
            broken_rows: workspace.rows.iter().filter(|(_, broken)| *broken).count(),
        })
    }

    /// Runs all rows. Returns whether there was a NaN.
    fn run_tiles<F: FloatMargin>(
        &self,
        terms: LossTerms<'_, F>,
        output: Output<'_, F>,
        workspace: &mut LossWorkspace<F>,
        scale: f64,
    ) -> bool {
        if workspace.rows.len() >= WIDE {
            self.run_lanes::<F, WIDE>(terms, output, workspace, scale)
        } else {
            self.run_lanes::<F, NARROW>(terms, output, workspace, scale)
        }
    }

    /// Runs all rows, on several threads if that pays off.
    fn run_lanes<F: FloatMargin, const LANES: usize>(
        &self,
        terms: LossTerms<'_, F>,
        mut output: Output<'_, F>,
        workspace: &mut LossWorkspace<F>,
        scale: f64,
    ) -> bool {
        let LossTerms { logits, labels, weights } = terms;
        let classes = self.plan.classes;
        let rows = logits.len() / classes;
        let worth = (rows * self.plan.cost() / WORTH_A_THREAD).max(1);
        let threads = workspace.tiles.len().min(rows.div_ceil(LANES)).min(worth);
        let share = rows.div_ceil(LANES).div_ceil(threads) * LANES;
        let tiles = &mut workspace.tiles[..threads];
        for tile in &mut *tiles {
            tile.reserve(&self.plan, LANES);
        }
        let run = |part: Part<'_, F>, tile: &mut LossTile<F>| {
            let (plan, evaluated) = (&self.plan, &self.evaluated[..]);
            Arch::new().dispatch(Rows::<F, LANES> { plan, evaluated, part, scale, tile })
        };
        if let [tile] = tiles {
            let rows = &mut workspace.rows[..];
            return run(Part { logits, labels, weights, output, rows }, tile);
        }
        let part_of = |index: usize, size: usize| {
            weights.map(|weights| &weights[index * share * classes..][..size])
        };
        let parts = logits
            .par_chunks(share * classes)
            .enumerate()
            .zip(labels.par_chunks(share * classes))
            .zip(workspace.rows.par_chunks_mut(share))
            .zip(tiles);
        match &mut output {
            Output::Gradient(gradient) => parts
                .zip(gradient.par_chunks_mut(share * classes))
                .map(|(((((index, logits), labels), rows), tile), gradient)| {
                    let weights = part_of(index, logits.len());
                    let output = Output::Gradient(gradient);
                    run(Part { logits, labels, weights, output, rows }, tile)
                })
                .reduce(|| false, |a, b| a | b),
            Output::Selection(selected, delegates) => parts
                .zip(selected.par_chunks_mut(share * classes))
                .zip(delegates.par_chunks_mut(share * classes))
                .map(|((((((index, logits), labels), rows), tile), selected), delegates)| {
                    let weights = part_of(index, logits.len());
                    let output = Output::Selection(selected, delegates);
                    run(Part { logits, labels, weights, output, rows }, tile)
                })
                .reduce(|| false, |a, b| a | b),
        }
    }
}
