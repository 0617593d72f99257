//! Which kernels compute a batch, and how their work is divided.

use super::steps::THREADS;

/// Which kernels compute a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) enum BatchKernel {
    /// This many rows at once, in one pass over the weights.
    Few(usize),
    /// Tiled matrix products.
    Tiled,
}

impl BatchKernel {
    pub fn for_batch(batch: usize) -> Self {
        match batch {
            0..=4 => Self::Few(4),
            5..=8 => Self::Few(8),
            _ => Self::Tiled,
        }
    }

    /// Rows for which a batch allocates memory.
    pub fn rows(self, batch: usize) -> usize {
        match self {
            Self::Few(rows) => rows,
            Self::Tiled => batch,
        }
    }
}

/// A part of a step: a kernel, and the layer it computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) enum Part {
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
