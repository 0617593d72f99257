//! Training on a GPU: members side by side, the kernels of a step, the loss.

pub(super) mod batch_kernel;
mod batch_rows;
mod division;
pub(super) mod fleet;
mod groups;
mod objective;
mod products;
pub(super) mod steps;
pub(super) mod terms;
