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
//!                       │                     └───── evaluate ──> Evaluation
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

pub mod attribution;
mod bad_configuration;
pub mod blend;
pub mod calibration;
#[doc(hidden)]
pub mod class_files;
#[doc(hidden)]
pub mod clock;
pub mod configuration;
pub mod cross_validation;
#[doc(hidden)]
pub mod cuda;
pub mod device;
pub mod evaluate;
mod exact_number;
#[doc(hidden)]
pub mod examples;
pub mod importance;
pub mod labelled_scores;
#[doc(hidden)]
pub mod learner;
#[doc(hidden)]
pub mod measure;
pub mod model;
pub mod onnx;
pub mod predict;
pub mod threshold_search;
pub mod train;
pub mod tune;

use rulebound_apply::tables;
pub use rulebound_apply::{apply, explain, long_table, sparse};
use rulebound_data::label_policy;
pub use rulebound_data::{
    broken_lines, class_names, completion, dataset, mine, rule_file, unknown_labels,
};
use rulebound_io::{array, input, memory, output, picture, random, scores, table};
pub use rulebound_io::{features, storage};
use rulebound_network as network;

pub use dataset::{Dataset, Source};
pub use evaluate::Evaluation;
pub use model::Model;
pub use predict::Predictor;
pub use train::Trainer;
