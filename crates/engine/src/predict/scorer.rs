//! What computes logits: networks with their preprocessing, or anything else.

use super::error::PredictError;
use super::rows::FeatureRows;
use crate::dataset::Encoder;
use crate::network::{ForwardPass, Network};

/// Computes the logits of rows. It owns its preprocessing: rows come as they are in the data.
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
pub trait Scorer {
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
    F: FnMut(FeatureRows<'_>, &mut [f32]) -> Result<(), PredictError>,
{
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        self(rows, logits)
    }
}

/// Networks that share one preprocessing; their logits are averaged.
#[derive(Debug)]
pub(super) struct NetworkScorer<'a> {
    encoder: Encoder<'a>,
    members: Vec<ForwardPass<'a>>,
    row: Vec<f32>,
    encoded: Vec<f32>,
    one: Vec<f32>,
}

impl<'a> NetworkScorer<'a> {
    pub(super) fn new(encoder: Encoder<'a>, networks: &'a [Network]) -> Self {
        let members = networks.iter().map(Network::forward_pass).collect();
        Self { encoder, members, row: Vec::new(), encoded: Vec::new(), one: Vec::new() }
    }
}

impl Scorer for NetworkScorer<'_> {
    fn logits(&mut self, rows: FeatureRows<'_>, logits: &mut [f32]) -> Result<(), PredictError> {
        encode(&self.encoder, rows, &mut self.row, &mut self.encoded);
        let Some((first, others)) = self.members.split_first_mut() else { return Ok(()) };
        first.logits(&self.encoded, logits);
        if others.is_empty() {
            return Ok(());
        }
        self.one.resize(logits.len(), 0.0);
        for other in others {
            other.logits(&self.encoded, &mut self.one);
            add(logits, &self.one);
        }
        divide(logits, self.members.len());
        Ok(())
    }

    fn is_out_of_range(&self, rows: FeatureRows<'_>, row: usize) -> bool {
        let mut buffer = Vec::new();
        let mut encoded = vec![0.0; self.encoder.width()];
        self.encoder.encode(rows.row(row, &mut buffer), &mut encoded);
        encoded.iter().any(|feature| !feature.is_finite())
    }
}

/// Rows through a preprocessing, row-major.
pub(super) fn encode(
    encoder: &Encoder<'_>,
    rows: FeatureRows<'_>,
    buffer: &mut Vec<f32>,
    encoded: &mut Vec<f32>,
) {
    let width = encoder.width();
    encoded.resize(rows.rows() * width, 0.0);
    for row in 0..rows.rows() {
        encoder.encode(rows.row(row, buffer), &mut encoded[row * width..][..width]);
    }
}

/// The mean of the logits of several members, in their order: the one way members become one.
pub(crate) fn mean_logits(members: &[Vec<f32>]) -> Vec<f32> {
    let Some((first, others)) = members.split_first() else { return Vec::new() };
    let mut mean = first.clone();
    if others.is_empty() {
        return mean;
    }
    for other in others {
        add(&mut mean, other);
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
