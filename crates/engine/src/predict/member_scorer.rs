//! The members of a model as a scorer: learners with their preprocessing, and what makes one of them.

use std::ops::Range;

use super::error::PredictError;
use super::rows::FeatureRows;
use super::scorer::Scorer;
use super::together::Together;
use crate::dataset::{Column, Encoder};
use crate::explain::MemberDecisions;
use crate::learner::Learner;
use crate::model::{Model, Part};
use crate::network::{ForwardPass, Network};

/// The most encoded cells that are held at once, unless a single row has more.
const ENCODED_CELLS: usize = 1 << 22;

/// All members of a model.
#[derive(Debug)]
pub(super) struct MemberScorer<'a> {
    parts: Vec<PartScorer<'a>>,
    classes: usize,
    /// What makes one of several.
    together: Option<Together>,
    one: Vec<f32>,
}

impl<'a> MemberScorer<'a> {
    /// The members of a model for rows with these columns; parts that count nothing are left out.
    pub(super) fn new(model: &'a Model, columns: &[Column]) -> Result<Self, PredictError> {
        let counted = |part: &&Part| model.parts().len() == 1 || part.weight() > 0.0;
        let parts = model.parts().iter().filter(counted);
        let parts = parts
            .map(|part| PartScorer::new(part, columns))
            .collect::<Result<Vec<_>, PredictError>>()?;
        let is_alone = model.parts().len() == 1 && parts.iter().all(|part| part.count() == 1);
        let together = (!is_alone).then(|| model.together());
        Ok(Self { parts, classes: model.labels().len(), together, one: Vec::new() })
    }
}

impl Scorer for MemberScorer<'_> {
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        let Self { parts, classes, together, one } = self;
        if let Some(together) = together {
            together.begin(logits.len());
        }
        for part in parts {
            let (count, weight) = (part.count(), part.weight);
            let mut start = 0;
            while start < rows.rows() {
                let end = (start + part.rows_at_once()).min(rows.rows());
                let cells = start * *classes..end * *classes;
                encode(&part.encoder, rows, start..end, &mut part.encoded);
                let Some(together) = together else {
                    part.each(end - start, &mut logits[cells], |_| ());
                    start = end;
                    continue;
                };
                one.resize(cells.len(), 0.0);
                part.each(end - start, one, |one| {
                    together.add(weight / count as f64, cells.start, one);
                });
                start = end;
            }
        }
        if let Some(together) = together {
            together.write(logits);
        }
        Ok(())
    }

    fn member_decisions(
        &mut self,
        rows: FeatureRows<'_>,
        row: usize,
    ) -> Result<Option<MemberDecisions>, PredictError> {
        let Some(together) = &mut self.together else { return Ok(None) };
        let mut decisions = MemberDecisions::default();
        self.one.resize(self.classes, 0.0);
        for part in &mut self.parts {
            let share = part.weight / part.count() as f64;
            encode(&part.encoder, rows, row..row + 1, &mut part.encoded);
            part.each(1, &mut self.one, |one| decisions.add(share, together.delegates(one)));
        }
        Ok(Some(decisions))
    }

    fn is_out_of_range(&self, rows: FeatureRows<'_>, row: usize) -> bool {
        self.parts.iter().any(|part| is_out_of_range(&part.encoder, rows, row))
    }
}

/// A learner with its preprocessing.
#[derive(Debug)]
struct PartScorer<'a> {
    weight: f64,
    encoder: Encoder<'a>,
    passes: Passes<'a>,
    encoded: Vec<f32>,
}

/// What computes the logits of encoded rows.
#[derive(Debug)]
enum Passes<'a> {
    Networks(Vec<ForwardPass<'a>>),
    Other(&'a Learner),
}

impl<'a> PartScorer<'a> {
    fn new(part: &'a Part, columns: &[Column]) -> Result<Self, PredictError> {
        let passes = match part.learner() {
            Learner::Networks(networks) => {
                Passes::Networks(networks.iter().map(Network::forward_pass).collect())
            }
            other => Passes::Other(other),
        };
        let encoder = part.pipeline().encoder(columns)?;
        Ok(Self { weight: part.weight(), encoder, passes, encoded: Vec::new() })
    }

    /// How many members it has.
    fn count(&self) -> usize {
        match &self.passes {
            Passes::Networks(members) => members.len(),
            Passes::Other(learner) => learner.members(),
        }
    }

    fn rows_at_once(&self) -> usize {
        (ENCODED_CELLS / self.encoder.width().max(1)).max(1)
    }

    /// Calls `with` with the logits of each member for the encoded rows, one after the other; they
    /// are in `logits`.
    fn each(&mut self, rows: usize, logits: &mut [f32], mut with: impl FnMut(&[f32])) {
        match &mut self.passes {
            Passes::Networks(members) => {
                for member in members {
                    member.logits(&self.encoded, logits);
                    with(logits);
                }
            }
            Passes::Other(learner) => {
                for member in learner.member_logits(&self.encoded, rows) {
                    logits.copy_from_slice(&member);
                    with(logits);
                }
            }
        }
    }
}

/// Whether a feature of a row is too far from those the preprocessing was fitted on.
pub(super) fn is_out_of_range(encoder: &Encoder<'_>, rows: FeatureRows<'_>, row: usize) -> bool {
    let mut encoded = vec![0.0; encoder.width()];
    encoder.encode(rows.row(row), &mut encoded);
    encoded.iter().any(|feature| !feature.is_finite())
}

/// Some rows through a preprocessing, row-major.
pub(super) fn encode(
    encoder: &Encoder<'_>,
    rows: FeatureRows<'_>,
    chosen: Range<usize>,
    encoded: &mut Vec<f32>,
) {
    let width = encoder.width();
    encoded.resize(chosen.len() * width, 0.0);
    for (row, out) in chosen.zip(encoded.chunks_exact_mut(width.max(1))) {
        encoder.encode(rows.row(row), out);
    }
}
