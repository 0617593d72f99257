//! One batch: features to probabilities, decisions and delegates.
//!
//! Invariant after [`Step::run`]: a class is predicted iff its margin is above 0, and then, and only
//! then, its probability is above its threshold.

use rulebound_core::{Delegate, LabelId, Labels, LayerWorkspace, Margin};

use super::{Head, PredictError, Summary};
use crate::dataset::RowBatch;

/// The buffers of one batch after the other, row by row, a number a class.
pub(super) struct Step<'a> {
    head: Head<'a>,
    logits: Vec<f32>,
    margins: Vec<f32>,
    coherent: Vec<f32>,
    pub(super) delegates: Vec<Delegate>,
    pub(super) probabilities: Vec<f32>,
    pub(super) predicted: Vec<bool>,
    workspace: Option<LayerWorkspace<f32>>,
}

impl<'a> Step<'a> {
    pub(super) fn new(head: Head<'a>) -> Self {
        let workspace = match head {
            Head::Plain(_) => None,
            Head::Rules(layer) => Some(layer.workspace()),
        };
        Self {
            head,
            logits: Vec::new(),
            margins: Vec::new(),
            coherent: Vec::new(),
            delegates: Vec::new(),
            probabilities: Vec::new(),
            predicted: Vec::new(),
            workspace,
        }
    }

    pub(super) fn run(
        &mut self,
        batch: &RowBatch,
        network: &mut dyn FnMut(&[f32], &mut [f32]),
        labels: &Labels,
        summary: &mut Summary,
    ) -> Result<(), PredictError> {
        let classes = labels.len();
        let size = batch.rows() * classes;
        self.logits.clear();
        // A place that the network forgets is an error, not a guess.
        self.logits.resize(size, f32::NAN);
        network(batch.values(), &mut self.logits);
        if let Some(at) = self.logits.iter().position(|logit| logit.is_nan()) {
            return Err(not_a_number(batch, at, labels));
        }
        let thresholds = self.head.thresholds();
        let label = |at: usize| LabelId::new(at % classes);
        let margin = |(at, &logit): (usize, &f32)| {
            Margin::canonical(thresholds.margin_of_logit(label(at), logit))
        };
        self.margins.clear();
        self.margins.extend(self.logits.iter().enumerate().map(margin));
        self.coherent.resize(size, 0.0);
        self.delegates.resize(size, Delegate::default());
        match (self.head, &mut self.workspace) {
            (Head::Rules(layer), Some(workspace)) => {
                let (coherent, delegates) = (&mut self.coherent, &mut self.delegates);
                layer.forward_with_delegates(&self.margins, coherent, delegates, workspace)?;
            }
            _ => {
                self.coherent.copy_from_slice(&self.margins);
                for (at, delegate) in self.delegates.iter_mut().enumerate() {
                    *delegate = Delegate::own(label(at));
                }
            }
        }
        let coherent = || self.coherent.iter().enumerate();
        self.predicted.clear();
        self.predicted.extend(coherent().map(|(_, margin)| margin.is_predicted()));
        self.probabilities.clear();
        let probability =
            |(at, &margin): (usize, &f32)| thresholds.probability_of_margin(label(at), margin);
        self.probabilities.extend(coherent().map(probability));
        self.count(batch.rows(), classes, summary);
        Ok(())
    }

    fn count(&self, rows: usize, classes: usize, summary: &mut Summary) {
        summary.rows += rows as u64;
        summary.predicted += self.predicted.iter().filter(|is_it| **is_it).count() as u64;
        for row in 0..rows {
            let at = row * classes..(row + 1) * classes;
            let pairs = self.margins[at.clone()].iter().zip(&self.coherent[at]);
            let changed = pairs.filter(|(before, after)| before != after).count() as u64;
            summary.changed_scores += changed;
            summary.changed_rows += u64::from(changed > 0);
        }
    }
}

#[cold]
fn not_a_number(batch: &RowBatch, at: usize, labels: &Labels) -> PredictError {
    let (row, class) = (at / labels.len(), at % labels.len());
    let features = &batch.values()[row * batch.width()..][..batch.width()];
    PredictError::NotANumber {
        row: batch.first_row() + row as u64,
        id: batch.id(row).map(str::to_owned),
        class: labels.name(LabelId::new(class)).to_owned(),
        is_infinite: features.iter().any(|feature| !feature.is_finite()),
    }
}
