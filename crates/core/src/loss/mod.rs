//! The constraint loss CLoss: cross-entropy of CM⁺ and CM⁻.
//!
//! For a class that the labels affirm, the loss uses CM⁺: the value of the class
//! if only rules with true bodies may support it. For a class that they deny, it
//! uses CM⁻: the value of the class if every true literal is taken for granted.
//! Both are selections of one logit, so the loss is a softplus of it and the
//! gradient goes to it: nothing is clamped, nothing overflows.
//!
//! The loss is the paper's, at the threshold 1/2: it takes logits, not margins.
//! Thresholds are chosen afterwards, for decisions.
//!
//! Labels that break a rule have no value in the paper: CM⁻ of a denied class
//! would be the constant 1 and its loss infinite. Such a class learns from its
//! own logit alone, and the rows are counted; see [`LossValue::broken_rows`].

mod broken;
mod tile;

use crate::delegate::Delegate;
use crate::label::Labels;
use crate::layer::{CpuPlan, LayerError, expect_len, expect_rows, find_nan};
use crate::margin::{FloatMargin, Margin};
use crate::program::Program;
use pulp::Arch;
use rayon::prelude::*;
use tile::{LossTile, Rows};

/// Rows side by side in a tile, for large batches and for small ones.
const WIDE: usize = 8;
const NARROW: usize = 4;

/// Numbers touched below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 16;

/// How the terms of the loss are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Reduction {
    /// The mean over examples and evaluated classes, as in the published
    /// experiments.
    #[default]
    Mean,
    /// The sum, as in the paper's definition.
    Sum,
}

/// The loss of a batch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossValue {
    /// Mean or sum of the terms, added up in double precision.
    pub value: f64,
    /// The number of rows whose labels break a rule.
    pub broken_rows: usize,
}

/// The constraint loss of a program.
///
/// ```
/// use rulebound_core::{ConstraintLoss, Program};
/// let program: Program = "stomach -> abdomen".parse()?;
/// let loss = ConstraintLoss::new(&program);
/// let mut gradient = [0.0f32; 2];
/// let labels = [false, true];
/// let value = loss.forward_backward(&[1.0, -1.0], &labels, &mut gradient, &mut loss.workspace())?;
/// assert!(value.value > 0.0 && gradient[0] > 0.0 && gradient[1] < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstraintLoss {
    plan: CpuPlan,
    names: Labels,
    evaluated: Vec<bool>,
    reduction: Reduction,
}

/// The memory of the loss for one caller; see [`LayerWorkspace`](crate::LayerWorkspace).
#[derive(Debug)]
pub struct LossWorkspace<F> {
    tiles: Vec<LossTile<F>>,
    /// The loss of every row, and whether its labels break a rule: added up in
    /// the order of the rows, so that no thread changes a bit.
    rows: Vec<(f64, bool)>,
}

impl ConstraintLoss {
    /// The mean loss over all classes.
    pub fn new(program: &Program) -> Self {
        Self {
            plan: CpuPlan::new(program),
            names: program.labels().clone(),
            evaluated: vec![true; program.labels().len()],
            reduction: Reduction::Mean,
        }
    }

    /// Only the marked classes have a term of their own. The others still take
    /// part in the rules and get gradients as delegates.
    ///
    /// # Panics
    /// If the number of marks is not the number of classes.
    #[must_use]
    pub fn evaluated(mut self, evaluated: Vec<bool>) -> Self {
        assert_eq!(evaluated.len(), self.plan.classes, "one mark for each class");
        self.evaluated = evaluated;
        self
    }

    /// Mean or sum.
    #[must_use]
    pub fn reduction(mut self, reduction: Reduction) -> Self {
        self.reduction = reduction;
        self
    }

    /// Allocates the memory for calls from one thread at a time.
    pub fn workspace<F: Margin>(&self) -> LossWorkspace<F> {
        self.workspace_for(rayon::current_num_threads())
    }

    /// As [`workspace`](Self::workspace), for calls that use at most so many threads of the current pool.
    /// With one, everything runs on the calling thread.
    pub fn workspace_for<F: Margin>(&self, threads: usize) -> LossWorkspace<F> {
        let tiles = (0..threads.max(1)).map(|_| LossTile::new(&self.plan)).collect();
        LossWorkspace { tiles, rows: Vec::new() }
    }

    /// The loss of a batch and its gradient with respect to the logits. All
    /// buffers are row-major `[batch × classes]`; `gradient` is overwritten.
    /// An empty batch has the loss 0.
    ///
    /// # Errors
    /// [`LayerError::NotANumber`] for the first NaN, [`LayerError::Shape`] if
    /// the lengths of the buffers do not match.
    pub fn forward_backward<F: FloatMargin>(
        &self,
        logits: &[F],
        labels: &[bool],
        gradient: &mut [F],
        workspace: &mut LossWorkspace<F>,
    ) -> Result<LossValue, LayerError> {
        expect_len("the gradient", gradient.len(), logits.len())?;
        self.run(logits, labels, None, Output::Gradient(gradient), workspace)
    }

    /// As [`forward_backward`](Self::forward_backward), with a weight for every term, also
    /// `[batch × classes]`. The mean is over the terms whose weight is not 0; a term with the weight
    /// 0 has no part in the loss, whatever its logit. Weights change terms, not which rules apply.
    ///
    /// # Errors
    /// As [`forward_backward`](Self::forward_backward).
    pub fn forward_backward_weighted<F: FloatMargin>(
        &self,
        logits: &[F],
        labels: &[bool],
        weights: &[f32],
        gradient: &mut [F],
        workspace: &mut LossWorkspace<F>,
    ) -> Result<LossValue, LayerError> {
        expect_len("the gradient", gradient.len(), logits.len())?;
        expect_len("the weights", weights.len(), logits.len())?;
        self.run(logits, labels, Some(weights), Output::Gradient(gradient), workspace)
    }

    /// The logits that the loss selects: for every class that of CM⁺ (if affirmed)
    /// or CM⁻ (if denied), and the delegate it comes from.
    ///
    /// # Errors
    /// As [`ConstraintLoss::forward_backward`].
    pub fn select<F: FloatMargin>(
        &self,
        logits: &[F],
        labels: &[bool],
        selected: &mut [F],
        delegates: &mut [Delegate],
        workspace: &mut LossWorkspace<F>,
    ) -> Result<LossValue, LayerError> {
        expect_len("the selection", selected.len(), logits.len())?;
        expect_len("delegates", delegates.len(), logits.len())?;
        self.run(logits, labels, None, Output::Selection(selected, delegates), workspace)
    }

    fn run<F: FloatMargin>(
        &self,
        logits: &[F],
        labels: &[bool],
        weights: Option<&[f32]>,
        output: Output<'_, F>,
        workspace: &mut LossWorkspace<F>,
    ) -> Result<LossValue, LayerError> {
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
                let terms = match weights {
                    None => rows * self.evaluated.iter().filter(|&&evaluated| evaluated).count(),
                    Some(weights) => {
                        let cells = weights.iter().zip(self.evaluated.iter().cycle());
                        cells.filter(|(weight, evaluated)| **evaluated && **weight != 0.0).count()
                    }
                };
                if terms == 0 { 0.0 } else { 1.0 / terms as f64 }
            }
        };
        let bad = if rows >= WIDE {
            self.run_tiles::<F, WIDE>(logits, labels, weights, output, workspace, scale)
        } else {
            self.run_tiles::<F, NARROW>(logits, labels, weights, output, workspace, scale)
        };
        if bad {
            return Err(find_nan(logits, &self.names));
        }
        Ok(LossValue {
            value: workspace.rows.iter().map(|(loss, _)| loss).sum::<f64>() * scale,
            broken_rows: workspace.rows.iter().filter(|(_, broken)| *broken).count(),
        })
    }

    /// Runs all rows, on several threads if that pays off. Returns whether there was a NaN.
    fn run_tiles<F: FloatMargin, const LANES: usize>(
        &self,
        logits: &[F],
        labels: &[bool],
        weights: Option<&[f32]>,
        mut output: Output<'_, F>,
        workspace: &mut LossWorkspace<F>,
        scale: f64,
    ) -> bool {
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

/// The output buffers that the caller wants filled.
enum Output<'a, F> {
    Gradient(&'a mut [F]),
    Selection(&'a mut [F], &'a mut [Delegate]),
}

/// Some rows of a batch, for one thread.
struct Part<'a, F> {
    logits: &'a [F],
    labels: &'a [bool],
    /// The weight of every term; none if all are 1.
    weights: Option<&'a [f32]>,
    output: Output<'a, F>,
    rows: &'a mut [(f64, bool)],
}
