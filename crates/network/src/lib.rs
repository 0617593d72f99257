//! A multi-layer perceptron and its training step on the CPU.
//!
//! ```text
//! rows ── Batch ──> Linear ── activation, dropout ──> … ──> Linear ──> logits
//!                     ▲                                        │
//!                     └─ Adam inside the backward pass ◄── gradient of the loss
//! ```
//!
//! In small batches the work is reading and writing weights. So the backward pass visits
//! each weight once: it adds the weight's part of the gradient of the layer below, computes the
//! weight's own gradient (a few products), and updates weight and moments at once. No gradient is
//! ever stored. Per step a weight is read twice and written once, its moments are read and written
//! once: 28 bytes.
//!
//! In large batches (`blocked_step`) the work is multiplication, so sums and gradients are blocked
//! products of matrices, on panels of rows. The gradient of weights is summed up in tiles, and each tile is
//! used for its update at once: it is not stored either. Networks of levels sum gradients up over
//! several layers, so they store them (`large_batch`).
//!
//! Rows that list few of many columns (`sparse_batch`) are multiplied with the weights of those columns
//! alone; the update is exact, or lazy.
//!
//! Invariants: the same seed gives the same bits, for any number of threads and on any machine
//! with IEEE arithmetic, because rows of weights are split into the same shares and sums are taken
//! in the same order everywhere.
//!
//! This crate is a part of `rulebound`; programs should use that.

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
mod precision;
mod product;
mod row_order;
mod shape;
mod sparse_batch;
mod sparse_layer;
mod step;
#[cfg(test)]
mod step_tests;
mod tile;
mod trainee;

pub use activation::Activation;
pub use adam::Adam;
pub use awake::awake;
pub use batch::Batch;
pub use dropout::{Dropout, LayerDropout};
pub use large_batch::{Gradient, Signals};
pub use line::Line;
pub use linear::Linear;
pub use optimizer::{Optimizer, Record};
pub use perceptron::{ForwardPass, Network};
pub use precision::Precision;
pub use row_order::{RowOrder, default_buffer};
pub use shape::Shape;
pub use sparse_layer::SparseUpdate;
pub use step::Workspace;
pub use step::kernels;
pub use trainee::Trainee;
