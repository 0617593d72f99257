//! Multi-label classifiers whose predictions always satisfy the rules you wrote: by construction,
//! for every input, bit for bit.
//!
//! From a table and rules to a model, and from a model to predictions:
//!
//! ```
#![doc = include_str!("../examples/train.rs")]
//! ```
//!
//! Rows that are in memory need no file:
//!
//! ```
#![doc = include_str!("../examples/train_in_memory.rs")]
//! ```
//!
//! The six nouns at the root are all that most programs need: a [`Source`] of data, the [`Dataset`]
//! it reads, a [`Trainer`], the [`Model`] it fits, a [`Predictor`] for new rows, and the
//! [`Evaluation`] of predictions. What rules mean is in [`core`]. Shorter programs, one for each job,
//! are in `examples/`: train, train_in_memory, apply, explain, mine.
//!
//! ```text
//! file ── Source ──> Dataset ── Trainer ──> Model ── Predictor ──> Predictions ── Explanation
//!                       │                     └───── evaluate ──> Evaluation ── compare
//! rules ── rule_file ──> core::Program ── apply (scores of any other model) ──> coherent scores
//! ```
//!
//! Cargo features: `cuda` (NVIDIA GPUs, found at run time) and `parquet`, both on by default, and `onnx` (networks of others, run
//! by onnxruntime).

#[doc(inline)]
pub use rulebound_core as core;

/// The Cargo features that this build has.
pub const FEATURES: &[&str] = &[
    #[cfg(feature = "cuda")]
    "cuda",
    #[cfg(feature = "onnx")]
    "onnx",
    #[cfg(feature = "parquet")]
    "parquet",
];

pub mod apply;
#[doc(hidden)]
pub mod array;
pub mod attribution;
mod bad_configuration;
pub mod blend;
pub mod broken_lines;
pub mod calibration;
#[doc(hidden)]
pub mod class_files;
pub mod class_names;
#[doc(hidden)]
pub mod clock;
pub mod compare;
pub mod completion;
pub mod configuration;
pub mod cross_validation;
#[doc(hidden)]
pub mod cuda;
pub mod dataset;
pub mod device;
pub mod evaluate;
mod exact_number;
#[doc(hidden)]
pub mod examples;
pub mod explain;
pub mod features;
pub mod importance;
#[doc(hidden)]
pub mod input;
mod label_policy;
pub mod labelled_scores;
#[doc(hidden)]
pub mod learner;
#[doc(hidden)]
pub mod long_table;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod memory;
pub mod mine;
pub mod model;
#[doc(hidden)]
pub mod network;
pub mod onnx;
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod picture;
pub mod predict;
#[doc(hidden)]
pub mod random;
mod row_order;
pub mod rule_file;
#[doc(hidden)]
pub mod scores;
pub mod sparse;
pub mod storage;
#[doc(hidden)]
pub mod table;
pub mod threshold_search;
pub mod train;
pub mod tune;
pub mod unknown_labels;

pub use dataset::{Dataset, Source};
pub use evaluate::Evaluation;
pub use model::Model;
pub use predict::Predictor;
pub use train::Trainer;
