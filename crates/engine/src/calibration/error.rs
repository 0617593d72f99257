//! Why a calibration cannot be fitted.

/// Why a calibration cannot be fitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// There is nothing to tell positives from negatives.
    #[error("{rows} rows have no positive or no negative of any class that is evaluated")]
    OneSided {
        /// How many rows there are.
        rows: usize,
    },
    /// The model is calibrated already.
    #[error("the model is already calibrated")]
    Calibrated,
}
