//! The loss of a method, its gradient, and the scores that the method predicts with.

use rulebound_core::{
    ConstraintLayer, ConstraintLoss, Delegate, LayerError, LayerWorkspace, LossWorkspace, Program,
    Thresholds,
};

use crate::configuration::Method;

/// Turns logits and labels into the loss of a method and its gradient.
#[derive(Clone, Debug)]
pub struct Objective {
    loss: ConstraintLoss,
    /// At threshold 1/2, where margins are logits; none if the method's output is not coherent.
    layer: Option<ConstraintLayer>,
    /// Whether the loss is computed on the output of the layer instead of the logits.
    through_layer: bool,
    classes: usize,
}

/// The working memory of an objective.
#[derive(Debug)]
pub struct ObjectiveSpace {
    loss: LossWorkspace<f32>,
    layer: Option<LayerWorkspace<f32>>,
    coherent: Vec<f32>,
    delegates: Vec<Delegate>,
    inner: Vec<f32>,
}

/// The loss of a batch of rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BatchLoss {
    /// The mean over rows and evaluated classes.
    pub mean: f64,
    /// Rows whose labels break a rule used by the loss.
    pub broken_rows: usize,
}

impl Objective {
    /// The objective of a method under these rules.
    ///
    /// # Panics
    /// If `evaluated` does not have one entry per class.
    pub fn new(method: Method, program: &Program, evaluated: &[bool]) -> Self {
        let classes = program.labels().len();
        let loss = match method {
            Method::Ccn => ConstraintLoss::new(program),
            // Methods without networks are measured like those of a network alone.
            _ => ConstraintLoss::new(&program.without_rules()),
        };
        // Requirements are settled when a model predicts, on the CPU and on a GPU alike.
        let rules = || program.without_requirements();
        let layer =
            method.is_coherent().then(|| ConstraintLayer::new(&rules(), Thresholds::half(classes)));
        Self {
            loss: loss.evaluated(evaluated.to_vec()),
            layer,
            through_layer: method == Method::Cm,
            classes,
        }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Memory for calls from one thread at a time.
    pub fn workspace(&self) -> ObjectiveSpace {
        ObjectiveSpace {
            loss: self.loss.workspace(),
            layer: self.layer.as_ref().map(ConstraintLayer::workspace),
            coherent: Vec::new(),
            delegates: Vec::new(),
            inner: Vec::new(),
        }
    }

    /// The loss of a batch and its gradient with respect to the logits, all row-major.
    ///
    /// # Errors
    /// [`LayerError::NotANumber`] if a logit is NaN.
    pub fn loss(
        &self,
        logits: &[f32],
        labels: &[bool],
        gradient: &mut [f32],
        space: &mut ObjectiveSpace,
    ) -> Result<BatchLoss, LayerError> {
        self.weighted_loss(logits, labels, None, gradient, space)
    }

    /// As [`loss`](Self::loss), with a weight for every row and class.
    ///
    /// # Errors
    /// As [`loss`](Self::loss).
    pub fn weighted_loss(
        &self,
        logits: &[f32],
        labels: &[bool],
        weights: Option<&[f32]>,
        gradient: &mut [f32],
        space: &mut ObjectiveSpace,
    ) -> Result<BatchLoss, LayerError> {
        let loss = &self.loss;
        let plain =
            |logits: &[f32], gradient: &mut [f32], space: &mut LossWorkspace<f32>| match weights {
                None => loss.forward_backward(logits, labels, gradient, space),
                Some(weights) => {
                    loss.forward_backward_weighted(logits, labels, weights, gradient, space)
                }
            };
        let value = match (&self.layer, &mut space.layer, self.through_layer) {
            (Some(layer), Some(layer_space), true) => {
                let (coherent, inner) = (&mut space.coherent, &mut space.inner);
                coherent.resize(logits.len(), 0.0);
                inner.resize(logits.len(), 0.0);
                space.delegates.resize(logits.len(), Delegate::default());
                let delegates = &mut space.delegates;
                layer.forward_with_delegates(logits, coherent, delegates, layer_space)?;
                let value = plain(coherent, inner, &mut space.loss)?;
                layer.backward(delegates, inner, gradient)?;
                value
            }
            _ => plain(logits, gradient, &mut space.loss)?,
        };
        Ok(BatchLoss { mean: value.value, broken_rows: value.broken_rows })
    }

    /// What the method predicts with: the logits themselves, or the layer's output. In place.
    ///
    /// # Errors
    /// [`LayerError::NotANumber`] if a logit is NaN.
    pub fn scores(
        &self,
        logits: &mut Vec<f32>,
        space: &mut ObjectiveSpace,
    ) -> Result<(), LayerError> {
        if let (Some(layer), Some(layer_space)) = (&self.layer, &mut space.layer) {
            space.coherent.resize(logits.len(), 0.0);
            layer.forward(logits, &mut space.coherent, layer_space)?;
            std::mem::swap(logits, &mut space.coherent);
        }
        Ok(())
    }
}
