//! Everything that touches data, tensors and disk.
//!
//! ```text
//! rule_file ──> Program ─┐
//!                        ├─> apply ────> scores (coherent), decisions, delegates
//! scores ────────────────┘                 ↑
//! dataset ── RowReader ── model ── predict ┘
//!    └─ Pipeline ── train (network, or cuda) ──> model ──> evaluate ── compare
//! ```

pub mod apply;
pub mod compare;
pub mod configuration;
pub mod cuda;
pub mod dataset;
pub mod device;
pub mod evaluate;
mod exact_number;
pub mod examples;
pub mod explain;
pub mod input;
pub mod mine;
pub mod model;
pub mod network;
pub mod output;
pub mod picture;
pub mod predict;
pub mod random;
pub mod rule_file;
pub mod scores;
pub mod table;
pub mod threshold_file;
pub mod train;
pub mod tune;
