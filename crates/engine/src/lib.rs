//! Everything that touches data and disk: rule files, tables of scores, and
//! applying the one to the other.
//!
//! ```text
//! rule_file ──> Program ─┐
//!                        ├─> apply ──> scores (coherent), decisions, delegates
//! scores ────────────────┘
//! ```

pub mod apply;
pub mod dataset;
pub mod evaluate;
pub mod mine;
pub mod model;
pub mod network;
pub mod output;
pub mod random;
pub mod rule_file;
pub mod scores;
pub mod threshold_file;
pub mod train;
