//! What computes logits: networks with their preprocessing, or anything else.

use std::ops::Range;

use super::error::PredictError;
use super::rows::FeatureRows;
use crate::dataset::Encoder;
use crate::learner::Learner;
use crate::network::{ForwardPass, Network};

/// Computes the logits of rows. It owns its preprocessing: rows come as they are in the data. It can be
/// sent to another thread, so that a [`Predictor`](super::Predictor) can.
///
/// Every closure with the right arguments is one:
///
/// ```
/// use rulebound::predict::{FeatureRows, PredictError, Predictor, Predictions};
/// use rulebound::core::{Program, Thresholds};
/// let program: Program = "cat -> animal".parse()?;
/// let thresholds = Thresholds::uniform(2, 0.5)?;
/// let network = |rows: FeatureRows<'_>, logits: &mut [f32]| {
///     for row in 0..rows.rows() {
///         rows.copy_row(row, &mut logits[2 * row..][..2]);
///     }
///     Ok::<(), PredictError>(())
/// };
/// let mut predictor = Predictor::of_scorer(network, Some(&program), program.labels(), &thresholds);
/// let mut out = Predictions::default();
/// predictor.predict(FeatureRows::dense(&[2.0, -1.0], 2)?, &mut out)?;
/// assert_eq!(out.decisions(), [true, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Scorer: Send + Sync {
    /// Fills in `logits`, row-major, one for each row and class.
    ///
    /// # Errors
    /// Whatever keeps it from computing them; [`PredictError::Scorer`] carries any error.
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError>;

    /// Whether a feature of this row is too far from those it was fitted on to be represented.
    fn is_out_of_range(&self, rows: FeatureRows<'_>, row: usize) -> bool {
        let _ = (rows, row);
        false
    }
}

impl<F> Scorer for F
where
    F: FnMut(FeatureRows<'_>, &mut [f32]) -> Result<(), PredictError> + Send + Sync,
{
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        self(rows, logits)
    }
}

/// The most encoded cells that are held at once, unless a single row has more.
const ENCODED_CELLS: usize = 1 << 22;

/// A learner with its preprocessing; the logits of its members are averaged.
#[derive(Debug)]
pub(super) struct PartScorer<'a> {
    encoder: Encoder<'a>,
    passes: Passes<'a>,
    encoded: Vec<f32>,
    one: Vec<f32>,
}

/// What computes the logits of encoded rows.
#[derive(Debug)]
enum Passes<'a> {
    Networks(Vec<ForwardPass<'a>>),
    Other(&'a Learner),
}

impl<'a> PartScorer<'a> {
    pub(super) fn new(encoder: Encoder<'a>, learner: &'a Learner) -> Self {
        let passes = match learner {
            Learner::Networks(networks) => {
                Passes::Networks(networks.iter().map(Network::forward_pass).collect())
            }
            other => Passes::Other(other),
        };
        Self { encoder, passes, encoded: Vec::new(), one: Vec::new() }
    }
}

impl PartScorer<'_> {
    /// The mean logits of the members for some encoded rows.
    fn members_logits(&mut self, rows: usize, logits: &mut [f32]) {
        let members = match &mut self.passes {
            Passes::Networks(members) => members,
            Passes::Other(learner) => {
                let each = learner.member_logits(&self.encoded, rows);
                return logits.copy_from_slice(&mean_logits(&each));
            }
        };
        let Some((first, others)) = members.split_first_mut() else { return };
        first.logits(&self.encoded, logits);
        if others.is_empty() {
            return;
        }
        self.one.resize(logits.len(), 0.0);
        for other in others {
            other.logits(&self.encoded, &mut self.one);
            add(logits, &self.one);
        }
        divide(logits, members.len());
    }
}

impl Scorer for PartScorer<'_> {
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        let classes = logits.len().checked_div(rows.rows()).unwrap_or(0);
        let at_once = (ENCODED_CELLS / self.encoder.width().max(1)).max(1);
        let mut start = 0;
        for logits in logits.chunks_mut((at_once * classes).max(1)) {
            let end = (start + at_once).min(rows.rows());
            encode(&self.encoder, rows, start..end, &mut self.encoded);
            self.members_logits(end - start, logits);
            start = end;
        }
        Ok(())
    }

    fn is_out_of_range(&self, rows: FeatureRows<'_>, row: usize) -> bool {
        is_out_of_range(&self.encoder, rows, row)
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

/// The mean of the logits of several members, in their order: the one way members become one.
pub(crate) fn mean_logits<M: AsRef<[f32]>>(members: &[M]) -> Vec<f32> {
    let Some((first, others)) = members.split_first() else { return Vec::new() };
    let mut mean = first.as_ref().to_vec();
    if others.is_empty() {
        return mean;
    }
    for other in others {
        add(&mut mean, other.as_ref());
    }
    divide(&mut mean, members.len());
    mean
}

fn add(sums: &mut [f32], logits: &[f32]) {
    sums.iter_mut().zip(logits).for_each(|(sum, logit)| *sum += logit);
}

fn divide(sums: &mut [f32], count: usize) {
    let count = count as f32;
    sums.iter_mut().for_each(|sum| *sum /= count);
}
