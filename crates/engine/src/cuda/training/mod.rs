//! Training on a GPU: members side by side, the kernels of a step, the loss.

mod batch_kernel;
pub(super) mod fleet;
mod objective;
pub(super) mod steps;
