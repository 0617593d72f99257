//! The precision of a GPU's products.

rulebound_core::named_enum! {
    /// The precision in which a GPU multiplies matrices, at batch sizes above 8. A CPU always computes in
    /// `fp32`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Precision: "a precision" {
        /// Like single precision, on tensor cores too: what the format TF32 leaves of each factor is
        /// multiplied as well.
        #[default]
        Fp32 = "fp32",
        /// Factors are rounded to TF32, which keeps 11 of their 24 significant bits; sums are in single
        /// precision. Faster.
        Tf32 = "tf32",
    }
}

impl Precision {
    /// Whether it is the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
