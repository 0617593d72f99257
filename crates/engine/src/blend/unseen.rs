//! What learners say about rows on which they were not fitted.

use std::ops::Range;

use super::error::BlendError;
use crate::dataset::Dataset;
use crate::evaluate::Scored;
use crate::model::Model;

/// The coherent logits of each learner for the same rows, and the truth of these rows.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Unseen {
    pub logits: Vec<Vec<f32>>,
    pub labels: Vec<bool>,
    /// Which labels are known; none if all are.
    pub known: Option<Vec<bool>>,
}

impl Unseen {
    /// No rows yet.
    pub(super) fn new(learners: usize) -> Self {
        Self { logits: vec![Vec::new(); learners], labels: Vec::new(), known: None }
    }

    /// Adds what a learner says about further rows. The first learner brings their truth.
    pub(super) fn add(
        &mut self,
        learner: usize,
        model: &Model,
        data: &Dataset,
        rows: Range<usize>,
    ) -> Result<(), BlendError> {
        let scored = Scored::new(model, data, rows)?;
        self.logits[learner].extend(scored.coherent_logits());
        if learner > 0 {
            return Ok(());
        }
        let before = self.labels.len();
        self.labels.extend(scored.truth);
        if self.known.is_some() || scored.known.is_some() {
            let known = self.known.get_or_insert_with(|| vec![true; before]);
            known.extend(scored.known.unwrap_or_default());
            known.resize(self.labels.len(), true);
        }
        Ok(())
    }
}
