//! What computes logits: the members of a model with their preprocessing, or anything else.

use super::error::PredictError;
use super::rows::FeatureRows;
use crate::explain::MemberDecisions;

/// Computes the logits of rows. It owns its preprocessing: rows come as they are in the data. It can be
/// sent to another thread, so that a [`Predictor`](super::Predictor) can.
///
/// Every closure with the right arguments is one:
///
/// ```
/// use rulebound::predict::{FeatureRows, PredictError, Predictor, Predictions};
/// use rulebound::core::{Program, Thresholds};
/// let program: Program = "cat -> animal".parse()?;
/// let thresholds = Thresholds::half(2);
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

    /// How members decide the classes of a row, if several become one; by default there is nothing to say.
    ///
    /// # Errors
    /// As [`logits`](Self::logits).
    fn member_decisions(
        &mut self,
        rows: FeatureRows<'_>,
        row: usize,
    ) -> Result<Option<MemberDecisions>, PredictError> {
        let _ = (rows, row);
        Ok(None)
    }

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
