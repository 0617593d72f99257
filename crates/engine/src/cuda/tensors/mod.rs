//! The layer and the loss on tensors that belong to somebody else: raw addresses on a GPU, on a
//! stream that is borrowed with them.
//!
//! ```text
//! Program ── RuleWords ──> words, which the caller puts into a tensor on the GPU
//! TensorGpu (the kernels of rules/, no compiler needed) ── layer, scatter, select, loss
//! ```
//!
//! Nothing is allocated, copied or waited for here: a call is one launch (two for the loss), so it can
//! be captured in a CUDA graph. Scratch memory, which only rules with very many classes need, comes from
//! the caller too.
//!
//! Values and delegates have the bits that the CPU gives them, and gradients are added in the same
//! order. A row with NaN becomes NaN: finding out on the host would mean to wait.

mod gpu;
mod launch;

pub use gpu::TensorGpu;
pub use launch::{LayerTensors, LossTensors, ScatterTensors, SelectTensors};

pub use super::rules::{RuleWords, ScoreScale, TensorNumber};
