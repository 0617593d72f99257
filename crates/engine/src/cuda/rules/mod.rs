//! Rules on a GPU: the layer and the loss, for training, prediction and tensors of others.
//!
//! ```text
//! Program ── RuleWords ──> words, wherever their owner keeps them on the GPU; Outline, on the host
//! Outline, Limits, rows ── Plan ──> rows per block, threads, memory: which of RuleKernels
//! ```
//!
//! What is read of a rule serves several rows that a block has side by side. Where every body is one literal
//! and nothing is in a cycle, a thread takes a line: a head with six of its literals. The sources and the
//! binaries of the kernels are in this folder.

mod kernels;
mod number;
mod plan;
#[cfg(test)]
mod tests;
mod words;

pub(super) use kernels::{IMAGES, RuleKernels};
pub use number::{ScoreScale, TensorNumber};
pub(super) use plan::{Limits, Plan};
pub use words::RuleWords;
pub(super) use words::{Outline, RulesParameter};
