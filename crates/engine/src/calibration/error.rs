//! Why a calibration cannot be fitted.

/// Why a calibration cannot be fitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum CalibrationError {
    /// There is nothing to tell positives from negatives.
    #[error("{rows} rows have no positive or no negative of any class that is evaluated")]
    OneSided { rows: usize },
    /// The model is calibrated already.
    #[error("the model is already calibrated")]
    Calibrated,
}
