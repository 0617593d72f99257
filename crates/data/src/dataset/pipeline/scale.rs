//! How the numbers of a column are scaled.

use serde::{Deserialize, Serialize};

use rulebound_io::features::FeatureMatrix;

rulebound_core::named_enum! {
    /// How encoded columns are scaled before they are given to a network.
    ///
    /// A column that is constant in the fitted rows becomes 0 everywhere, except with `none`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Scaling: "a kind of scaling" {
        /// Mean 0 and standard deviation 1. Not for sparse features: no cell would remain 0.
        Standard = "standard",
        /// Divided by the standard deviation over all rows; nothing is subtracted, 0 remains 0.
        Scale = "scale",
        /// From the smallest value to the largest one becomes 0 to 1. Sparse features are divided
        /// by their largest absolute value, so that 0 remains 0.
        MinMax = "minmax",
        /// The numbers as they are.
        None = "none",
        /// Every column as it is, for trees: missing cells stay missing, and a nominal column is
        /// one column of codes.
        Untouched = "untouched",
    }
}

impl Scaling {
    /// What is done unless something else is requested: sparse features are not centred.
    pub fn default_for(features: &FeatureMatrix) -> Self {
        if features.is_sparse() { Self::Scale } else { Self::Standard }
    }
}

/// Scales one encoded column.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scale {
    /// The mean of the fitted rows, which replaces missing numbers.
    pub mean: f64,
    /// What numbers are divided by: with standard scaling their standard deviation (dividing by
    /// the number of rows). 0 for a column that becomes 0 everywhere.
    pub deviation: f64,
    /// What is subtracted before; the mean if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
}

impl Scale {
    /// Centres a value and divides it by the deviation.
    pub fn apply(self, value: f64) -> f32 {
        if self.deviation == 0.0 {
            return 0.0;
        }
        let offset = match self.offset {
            None if value.is_nan() => return 0.0,
            None => self.mean,
            Some(offset) => offset,
        };
        let value = if value.is_nan() { self.mean } else { value };
        ((value - offset) / self.deviation) as f32
    }

    pub(super) fn is_sound(&self) -> bool {
        self.mean.is_finite()
            && self.deviation.is_finite()
            && self.offset.is_none_or(f64::is_finite)
    }
}
