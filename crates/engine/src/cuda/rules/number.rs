//! What the numbers of a tensor are.

/// The type of a tensor's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum TensorNumber {
    /// IEEE 754 half precision.
    Half = 0,
    /// bfloat16: the upper half of a `f32`.
    Brain = 1,
    /// `f32`.
    Single = 2,
    /// `f64`.
    Double = 3,
}

impl TensorNumber {
    /// Bytes of the numbers that the kernels compute with.
    pub(in crate::cuda) const fn computed(self) -> usize {
        if matches!(self, Self::Double) { 8 } else { 4 }
    }
}

/// What the scores of a tensor mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum ScoreScale {
    /// A class is predicted iff its score is above 0, and the negation is `-x`.
    Margins = 0,
    /// A class is predicted iff its score is above 1/2, and the negation is `1 - p`.
    Probabilities = 1,
}
