//! The CUDA engine: the training step and prediction on a GPU.
//!
//! ```text
//! Driver, Images ──> Gpu (a device with our kernels)
//! Program ── RuleWords ──> GpuRules ──> layer, loss
//! Network ×members ──> Weights ── Fleet: kernels in CUDA graphs ──> Weights ──> Network
//!                               └ Scorer: rows → logits → layer
//! LevelNetwork ×members ──> Weights ── LevelFleet ──> Weights ──> LevelNetwork
//! ```
//!
//! At a batch size of four the work is reading and writing weights, so everything that shares a
//! pass over them is one kernel: bias, activation and dropout with the product in the forward pass;
//! the gradient of the layer below, the weight's own gradient and Adam in the backward pass.
//! Members are a leading dimension everywhere: ten models are ten times the blocks, not ten times
//! the launches. Sixteen steps are one CUDA graph.
//!
//! Invariants: the layer's values and delegates are those of the CPU, bit for bit. Dropout masks
//! and row orders are those of the CPU. A member's bits depend on its seed alone, not on the other
//! members, because sums are divided by the network's shape and no sum depends on the order in
//! which threads run.

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod arithmetic;
#[cfg(feature = "cuda")]
mod buffer;
mod error;
#[cfg(feature = "cuda")]
mod gpu;
#[cfg(feature = "cuda")]
mod gpu_rules;
#[cfg(feature = "cuda")]
mod image;
mod info;
#[cfg(feature = "cuda")]
mod kernels;
#[cfg(feature = "cuda")]
mod level_fleet;
#[cfg(feature = "cuda")]
mod measure;
#[cfg(feature = "cuda")]
mod parameters;
#[cfg(feature = "cuda")]
mod pass;
#[cfg(feature = "cuda")]
mod rules;
#[cfg(feature = "cuda")]
mod scorer;
#[cfg(feature = "cuda")]
pub mod tensors;
#[cfg(all(test, feature = "cuda"))]
mod tests;
#[cfg(feature = "cuda")]
mod training;
#[cfg(feature = "cuda")]
mod weights;

#[cfg(not(feature = "cuda"))]
pub use absent::{Gpu, gpus};
pub use error::CudaError;
#[cfg(feature = "cuda")]
pub use gpu::{Gpu, gpus};
#[cfg(feature = "cuda")]
pub use gpu_rules::GpuRules;
pub use info::GpuInfo;
#[cfg(feature = "cuda")]
pub(crate) use level_fleet::{LevelFleet, LevelFleetTask};
#[cfg(feature = "cuda")]
pub use measure::{StepTime, copy_speed, prediction_speed};
#[cfg(feature = "cuda")]
pub use scorer::GpuScorer;
#[cfg(feature = "cuda")]
pub(crate) use training::fleet::Fleet;
#[cfg(feature = "cuda")]
pub use training::fleet::FleetTask;
#[cfg(feature = "cuda")]
pub use training::terms::FleetWeights;
