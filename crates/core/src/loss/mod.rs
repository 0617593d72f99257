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
//!
//! Requirements have no part in the loss.

mod batch;
mod broken;
mod tile;

use crate::delegate::Delegate;
use crate::label::Labels;
use crate::layer::{CpuPlan, LayerError, expect_len};
use crate::margin::{FloatMargin, Margin};
use crate::program::Program;
use batch::{LossTerms, Output};
use tile::LossTile;

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
    /// The mean loss over all classes. Requirements have no part in it.
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
        let weights = None;
        self.run(LossTerms { logits, labels, weights }, Output::Gradient(gradient), workspace)
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
        let weights = Some(weights);
        self.run(LossTerms { logits, labels, weights }, Output::Gradient(gradient), workspace)
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
        let output = Output::Selection(selected, delegates);
        self.run(LossTerms { logits, labels, weights: None }, output, workspace)
    }
}
