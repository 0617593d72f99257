//! ONNX: rules inside of a graph that any runtime can run.
//!
//! ```text
//! Program ── plan ──> levels ── layer, cycle ──> nodes       the constraint layer, exact to the bit
//! scores ── head ──> margins ── layer ──> probabilities, decisions, margins
//! ```
//!
//! Promises of a file: the layer selects exactly what [`ConstraintLayer`](rulebound_core::ConstraintLayer) does; what a network
//! computes differs from ours only by rounding; predictions obey the rules in every row, and a probability is above its
//! threshold iff its class is predicted.

mod cycle;
mod error;
mod file;
mod graph;
mod head;
mod layer;
mod messages;
mod plan;

pub use cycle::Loops;
pub use error::OnnxError;
pub use file::OnnxFile;
pub use head::{GraphOptions, NetworkOutput, OUTPUTS};
