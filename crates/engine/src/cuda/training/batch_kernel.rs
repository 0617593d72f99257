//! Which kernels compute a batch, and how their work is divided.

use super::steps::THREADS;
use crate::cuda::arithmetic::Arithmetic;

/// Which kernels compute a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) enum BatchKernel {
    /// This many rows at once, in one pass over the weights.
    Few(usize),
    /// Matrix products in tiles, for GPUs without tensor cores for TF32.
    Tiled,
    /// Matrix products on tensor cores.
    TensorCores,
}

impl BatchKernel {
    /// The kernels for a batch size in this arithmetic.
    pub fn for_batch(batch: usize, arithmetic: Arithmetic) -> Self {
        match (arithmetic, batch) {
            (Arithmetic::TensorCores { .. }, _) => Self::TensorCores,
            (Arithmetic::Plain, 0..=4) => Self::Few(4),
            (Arithmetic::Plain, 5..=8) => Self::Few(8),
            (Arithmetic::Plain, _) => Self::Tiled,
        }
    }

    /// Rows for which a batch allocates memory.
    pub fn rows(self, batch: usize) -> usize {
        match self {
            Self::Few(rows) => rows,
            Self::Tiled | Self::TensorCores => batch,
        }
    }

    /// Numbers from one row of gradients of a layer's sums to the next.
    pub fn gradient_stride(self, outputs: usize) -> usize {
        match self {
            Self::Few(_) | Self::Tiled => outputs,
            Self::TensorCores => outputs.next_multiple_of(16),
        }
    }
}

/// A part of a step: a kernel, and the layer it computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) enum Part {
    /// The rows of the batch, where the first layer does not read them from the data.
    Gather,
    Forward(usize),
    Loss,
    Below(usize),
    Descend(usize),
    Update(usize),
}

/// Outputs per block of an update. It determines the order of summation, so it depends on the layer
/// alone.
pub(in crate::cuda) fn chunk(outputs: usize, stride: usize) -> usize {
    let columns = (stride / 4).div_ceil(update_threads(stride));
    (outputs * columns / 128).next_multiple_of(4).clamp(4, 64)
}

/// Threads per block of an update, four inputs each.
pub(in crate::cuda) fn update_threads(stride: usize) -> usize {
    (stride / 4).next_multiple_of(32).min(THREADS as usize)
}
