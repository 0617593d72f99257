//! Rows of inputs to logits: of one member, or of all together.

use rulebound_core::LayerError;

use super::Model;
use crate::network::{Network, Predictor};

/// Computes logits. The logits of several members are averaged; the layer comes after that.
#[derive(Debug)]
pub struct Scorer<'a> {
    members: Vec<Predictor<'a>>,
    one: Vec<f32>,
}

impl Model {
    /// The logits of all members together.
    pub fn scorer(&self) -> Scorer<'_> {
        let members = self.members.iter().map(Network::predictor).collect();
        Scorer { members, one: Vec::new() }
    }

    /// The logits of one member.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn member_scorer(&self, member: usize) -> Scorer<'_> {
        Scorer { members: vec![self.members[member].predictor()], one: Vec::new() }
    }
}

impl Model {
    /// What predictions are made with: margins from logits, through the layer if the method has
    /// one. A class is predicted iff its margin is above 0.
    ///
    /// # Errors
    /// [`LayerError::NotANumber`] where a logit is none.
    pub fn margins(&self, mut logits: Vec<f32>) -> Result<Vec<f32>, LayerError> {
        for row in logits.chunks_exact_mut(self.labels().len().max(1)) {
            for (label, logit) in self.labels().ids().zip(row) {
                *logit = self.thresholds.margin_of_logit(label, *logit);
            }
        }
        let Some(layer) = self.layer() else { return Ok(logits) };
        let mut coherent = vec![0.0; logits.len()];
        layer.forward(&logits, &mut coherent, &mut layer.workspace())?;
        Ok(coherent)
    }
}

impl Scorer<'_> {
    /// The logits of encoded rows, row-major.
    ///
    /// # Panics
    /// If the buffers do not hold as many whole rows.
    pub fn logits(&mut self, rows: &[f32], logits: &mut [f32]) {
        let count = self.members.len() as f32;
        let Some((first, others)) = self.members.split_first_mut() else { return };
        first.logits(rows, logits);
        if others.is_empty() {
            return;
        }
        self.one.resize(logits.len(), 0.0);
        for other in others {
            other.logits(rows, &mut self.one);
            logits.iter_mut().zip(&self.one).for_each(|(sum, logit)| *sum += logit);
        }
        logits.iter_mut().for_each(|sum| *sum /= count);
    }
}
