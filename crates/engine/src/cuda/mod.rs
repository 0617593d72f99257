//! The CUDA engine: the training step and prediction on a graphics card.
//!
//! ```text
//! Driver, compiler ──> Card (a device with our kernels)
//! Program ── GpuSchedule ──> RulesOnCard ──> layer, loss
//! Network ×members ──> Weights ── Fleet: one graph of kernels a step ──> Weights ──> Network
//!                               └ Scorer: rows → logits → layer
//! ```
//!
//! At four examples a step the work is reading and writing weights, so everything that shares a
//! pass over them is one kernel: bias, activation and dropout in the product on the way forward;
//! the gradient of the layer below, the weight's own gradient and Adam on the way back. Members
//! are a leading dimension everywhere: ten models are ten times the blocks, not ten times the
//! launches. Sixteen steps are one CUDA graph.
//!
//! Invariants: the layer's values and delegates are the host's, bit for bit. Masks and orders are
//! the host's. A member's bits depend on its seed alone, not on the members beside it, because
//! sums are cut by the network's shape and nothing is added up in an order that chance decides.

mod buffer;
mod card;
mod error;
mod fleet;
mod kernels;
mod measure;
mod objective;
mod parameters;
mod pass;
mod rules;
mod scorer;
mod steps;
#[cfg(test)]
mod tests;
mod way;
mod weights;

pub use card::{Card, CardInfo, cards};
pub use error::CudaError;
pub(crate) use fleet::Fleet;
pub use fleet::FleetTask;
pub use measure::{StepTime, copy_speed, prediction_speed};
pub use rules::RulesOnCard;
pub use scorer::CardScorer;
