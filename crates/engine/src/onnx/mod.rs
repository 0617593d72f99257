//! ONNX: rules inside of a graph that any runtime can run.
//!
//! ```text
//! Model ── inputs ──> encoded rows ── learner, network, mixture ──> logits
//! Program ── plan ──> levels ── layer, cycle ──> nodes       the constraint layer, exact to the bit
//!          └─ settling ──> counters ──> nodes              requirements, where no row needs search
//! network.onnx ── splice ──> the same bytes, and the layer behind them
//! scores ── head ──> margins ── layer ──> probabilities, decisions, margins
//! ```
//!
//! Promises of a file: the layer selects exactly what [`ConstraintLayer`](rulebound_core::ConstraintLayer) does; what a network
//! computes differs from ours only by rounding; predictions obey the rules in every row, and a probability is above its
//! threshold iff its class is predicted.

mod attribute;
mod calibration;
mod cycle;
mod error;
mod file;
mod graph;
mod head;
mod inputs;
mod layer;
mod learner;
mod levels;
#[cfg(feature = "onnx")]
mod library;
#[cfg(feature = "onnx")]
mod library_search;
mod linear;
mod messages;
mod mixture;
mod model;
mod network;
mod network_file;
mod plan;
#[cfg(feature = "onnx")]
mod session;
mod settling;
mod splice;
mod stored_trees;
mod survey;
mod torch;
mod trees;
mod wire;

pub use cycle::Loops;
pub use error::OnnxError;
pub use file::OnnxFile;
pub use head::{GraphOptions, NetworkOutput, OUTPUTS};
#[cfg(feature = "onnx")]
pub use library::listen_to_runtime;
pub use network_file::{NetworkFile, NetworkInput};
#[cfg(feature = "onnx")]
pub use session::NetworkScorer;
pub use splice::CoherentNetwork;
pub use torch::TorchFiles;
