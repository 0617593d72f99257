//! A multi-layer perceptron and its training step, optimised for small batches.
//!
//! ```text
//! rows ── Batch ──> Linear ── activation, dropout ──> … ──> Linear ──> logits
//!                     ▲                                        │
//!                     └─ Adam inside the backward pass ◄── gradient of the loss
//! ```
//!
//! At a batch size of four the work is reading and writing weights. So the backward pass visits
//! each weight once: it adds the weight's part of the gradient of the layer below, computes the
//! weight's own gradient (four products), and updates weight and moments at once. No gradient is
//! ever stored. Per step a weight is read twice and written once, its moments are read and written
//! once: 28 bytes.
//!
//! Rows that list few of many columns (`sparse_batch`) are multiplied with the weights of those columns
//! alone; the update is exact, or lazy.
//!
//! Where batches are large (`large_batch`), gradients are products of matrices and are stored.
//!
//! Invariants: the same seed gives the same bits, for any number of threads and on any machine
//! with IEEE arithmetic, because rows of weights are split into the same shares and sums are taken
//! in the same order everywhere.

mod activation;
mod adam;
mod awake;
mod backward;
mod batch;
mod blocked;
mod blocked_step;
mod blocked_update;
mod dropout;
mod first_layer;
mod lanes;
mod large_batch;
mod line;
mod linear;
mod optimizer;
mod panels;
mod perceptron;
mod product;
mod shape;
mod sparse_batch;
mod sparse_layer;
mod step;
mod tile;

pub use activation::Activation;
pub use adam::Adam;
pub use awake::awake;
pub use batch::Batch;
pub use dropout::{Dropout, LayerDropout};
pub(crate) use large_batch::{Gradient, Signals};
pub(crate) use line::Line;
pub use linear::Linear;
pub use optimizer::Optimizer;
#[cfg(test)]
pub(crate) use optimizer::Record;
pub use perceptron::{ForwardPass, Network};
pub use shape::Shape;
pub use sparse_layer::SparseUpdate;
pub use step::{Trainee, Workspace};
