//! The layer and the loss on tensors that belong to somebody else: raw addresses on a GPU, on a
//! stream that is borrowed with them.
//!
//! ```text
//! Program ── TensorRules ──> words, which the caller puts into a tensor on the GPU
//! TensorGpu (binaries of kernels/, no compiler needed) ── layer, scatter, select, loss
//! ```
//!
//! Nothing is allocated, copied or waited for here: a call is one launch (two for the loss), so it can
//! be captured in a CUDA graph. Scratch memory, which only rules with very many classes need, comes from
//! the caller too.
//!
//! Values and delegates have the bits that the CPU gives them, and gradients are added in the same
//! order. A row with NaN becomes NaN: finding out on the host would mean to wait.
//!
//! The binaries are made by `scripts/kernels`; a test compares the hash of their sources.

mod gpu;
mod launch;
mod number;
mod plan;
mod rules;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(super) use gpu::IMAGES;
pub use gpu::TensorGpu;
pub use launch::{LayerTensors, LossTensors, ScatterTensors, SelectTensors};
pub use number::{ScoreScale, TensorNumber};
pub use rules::TensorRules;
