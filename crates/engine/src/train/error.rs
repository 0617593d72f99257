//! What can go wrong in training.

use std::path::PathBuf;

use rulebound_core::{BadThreshold, LayerError};

use crate::configuration::BadConfiguration;
use crate::cuda::CudaError;
use crate::dataset::{PipelineError, Split};
use crate::model::ModelError;
use crate::network::Shape;
use crate::output::OutputError;

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// Numbers of the configuration that cannot be.
    #[error("{}", list(.0))]
    Configuration(Vec<BadConfiguration>),
    /// The data has no rows to train on.
    #[error("`{name}` has no {split} rows")]
    NoRows {
        /// The data set.
        name: String,
        /// Which rows are missing.
        split: Split,
    },
    /// Too few rows to hold any out.
    #[error("{rows} training rows are too few to hold out a share of {holdout} for validation")]
    TooFewRows {
        /// The training rows.
        rows: usize,
        /// The share that was to be held out.
        holdout: f64,
    },
    /// A data set without a class.
    #[error("`{0}` has no classes that count")]
    NoClasses(String),
    /// A data set without a feature.
    #[error("`{0}` has no features to learn from")]
    NoFeatures(String),
    /// A network that no machine we know of can train.
    #[error("a network of {shape} has {} parameters; at most 2147483648 are possible", .shape.parameters())]
    TooLarge {
        /// Its sizes.
        shape: Shape,
    },
    /// More layers than a file can hold.
    #[error("all networks together have {layers} layers; at most {most} are possible")]
    TooManyLayers {
        /// Layers of all networks.
        layers: usize,
        /// The most that are possible.
        most: usize,
    },
    /// More than this machine has room for.
    #[error(
        "{members} networks of {shape} and their moments need {:.1} GB of memory, of which {:.1} GB are free",
        *.needed as f64 / 1e9,
        *.free as f64 / 1e9
    )]
    Memory {
        /// The sizes of a network.
        shape: Shape,
        /// How many there are.
        members: usize,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The labels of a row break a rule, and that was to be an error.
    #[error("training row {row}: its labels break the rule `{rule}`")]
    BrokenLabels {
        /// The row among train and valid, from 1.
        row: usize,
        /// The rule.
        rule: String,
    },
    /// The weights have left the numbers.
    #[error("the network with seed {seed} diverged in epoch {epoch}: its outputs are not numbers")]
    Diverged {
        /// The member.
        seed: u64,
        /// The epoch, from 1.
        epoch: usize,
    },
    /// What is monitored has no value.
    #[error("AU(PRC) is undefined on the validation rows: none of them has a class that counts")]
    Undefined,
    /// A file of an unfinished run is in the way.
    #[error("{} is the checkpoint of an unfinished run", .path.display())]
    Unfinished {
        /// The checkpoint.
        path: PathBuf,
    },
    /// The checkpoint belongs to another run.
    #[error("{} is of another run: {}", .path.display(), .differences.join("; "))]
    OtherRun {
        /// The checkpoint.
        path: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// The run was stopped; it can be resumed if there is a checkpoint.
    #[error("stopped")]
    Stopped {
        /// Where the checkpoint is, if one was asked for.
        checkpoint: Option<PathBuf>,
    },
    /// The log cannot be read or written.
    #[error("cannot write the log {}", .path.display())]
    Log {
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Preprocessing does not fit.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// A checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] ModelError),
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The GPU does not do what it should.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The layer was given what is no number.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// A threshold that cannot be.
    #[error(transparent)]
    Threshold(#[from] BadThreshold),
}

fn list(mistakes: &[BadConfiguration]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
