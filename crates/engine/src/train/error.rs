//! Errors of training.

use std::fmt;
use std::path::PathBuf;

use rulebound_core::LayerError;

use crate::configuration::BadConfiguration;
use crate::cuda::CudaError;
use crate::dataset::{ColumnDoubt, DoubtKind, PipelineError, Split};
use crate::learner::FitError;
use crate::memory::ByteSize;
use crate::model::ModelError;
use crate::network::Shape;
use crate::output::OutputError;

/// Why training gave no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum TrainError {
    /// The configuration has invalid values; all of them are listed.
    #[error("{}", list(.0))]
    Configuration(Vec<BadConfiguration>),
    /// The data has no rows to train on.
    #[error("`{name}` has no {split} rows")]
    NoRows { name: String, split: Split },
    /// There are too few rows for a holdout.
    #[error("{rows} training rows are too few to hold out a fraction of {holdout} for validation")]
    TooFewRows {
        rows: usize,
        /// The fraction to hold out.
        holdout: f64,
    },
    /// The data set has no evaluated class.
    #[error("`{0}` has no evaluated classes")]
    NoClasses(String),
    /// The data set has no features.
    #[error("`{0}` has no features to learn from")]
    NoFeatures(String),
    /// Columns of an untyped table are text or dates, and nothing says to use them.
    #[error("{}", text_columns(.0))]
    TextColumns(Vec<ColumnDoubt>),
    /// The network is larger than any machine we know of can train.
    #[error("a network of {shape} has {} parameters; the maximum is 2147483648", .shape.parameters())]
    TooLarge { shape: Shape },
    /// There are more layers than a file can hold.
    #[error("all networks together have {layers} layers; the maximum is {most}")]
    TooManyLayers {
        /// The layers of all networks together.
        layers: usize,
        most: usize,
    },
    /// The run needs more memory than it may have.
    #[error(
        "training {} of {shape} needs about {}: {need}; {} may be used",
        networks(*.members),
        ByteSize(.need.total()),
        ByteSize(*.limit)
    )]
    Memory {
        /// The sizes of a network.
        shape: Shape,
        members: usize,
        need: MemoryNeed,
        /// The bytes that may be used; without a given limit, in addition to the data.
        limit: u64,
    },
    /// The labels of a row break a rule, and the label policy is strict.
    #[error("training row {row}: its labels break the rule `{rule}`")]
    BrokenLabels {
        /// The row within train and valid, from 1.
        row: usize,
        rule: String,
    },
    /// There is not one class weight for each class.
    #[error("{found} class weights for {expected} classes")]
    ClassWeights { expected: usize, found: usize },
    /// A method that is not a network cannot use something that the data or the options have.
    #[error("`{method}` does not support {what}; methods that train networks do")]
    Unsupported { method: &'static str, what: &'static str },
    /// A learner could not be fitted.
    #[error(transparent)]
    Fit(FitError),
    /// The model to start from does not fit the run.
    #[error("the model to start from is another kind of network: {}", .differences.join("; "))]
    OtherStart { differences: Vec<String> },
    /// The outputs of a network are NaN.
    #[error("the network with seed {seed} diverged in epoch {epoch}: its outputs are NaN")]
    Diverged {
        seed: u64,
        /// The epoch, from 1.
        epoch: usize,
    },
    /// The monitored metric has no value.
    #[error("AU(PRC) is undefined on the validation rows: none of them has an evaluated class")]
    Undefined,
    /// There is already a checkpoint, and it is not to be resumed.
    #[error("{} is the checkpoint of an unfinished run", .path.display())]
    Unfinished { path: PathBuf },
    /// The checkpoint belongs to another run.
    #[error("{} belongs to another run: {}", .path.display(), .differences.join("; "))]
    OtherRun { path: PathBuf, differences: Vec<String> },
    /// The run was stopped; it can be resumed if there is a checkpoint.
    #[error("stopped")]
    Stopped {
        /// The checkpoint, if one was requested.
        checkpoint: Option<PathBuf>,
    },
    /// The log cannot be read or written.
    #[error("cannot write the log {}", .path.display())]
    Log { path: PathBuf, source: std::io::Error },
    /// Preprocessing does not fit the data.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// A checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] ModelError),
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The GPU failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The layer was given NaN.
    #[error(transparent)]
    Layer(#[from] LayerError),
}

fn text_columns(doubts: &[ColumnDoubt]) -> String {
    let one = |doubt: &ColumnDoubt| {
        let ColumnDoubt { name, distinct, example, .. } = doubt;
        match doubt.kind {
            DoubtKind::Date => format!("`{name}` holds dates ({distinct}, such as `{example}`)"),
            _ => format!("`{name}` holds text ({distinct} different values, such as `{example}`)"),
        }
    };
    doubts.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What a run needs, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryNeed {
    /// The data set.
    pub data: u64,
    /// The encoded rows.
    pub encoded: u64,
    /// The labels of the rows, their numbers, and their order in an epoch of each network.
    pub labels: u64,
    /// Weights, moments, and the best epoch of all networks.
    pub networks: u64,
    /// One batch in each network, with its gradients.
    pub batches: u64,
    /// The outputs for the validation rows.
    pub logits: u64,
}

impl MemoryNeed {
    /// All of it.
    pub fn total(&self) -> u64 {
        let Self { data, encoded, labels, networks, batches, logits } = *self;
        [data, encoded, labels, networks, batches, logits].into_iter().fold(0, u64::saturating_add)
    }
}

/// The parts, separated by commas.
impl fmt::Display for MemoryNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { data, encoded, labels, networks, batches, logits } = *self;
        let [data, encoded, labels, networks, batches, logits] =
            [data, encoded, labels, networks, batches, logits].map(ByteSize);
        write!(f, "data {data}, encoded rows {encoded}, labels and orders {labels}, ")?;
        write!(f, "weights and moments {networks}, ")?;
        write!(f, "batches {batches}, validation {logits}")
    }
}

fn networks(members: usize) -> String {
    if members == 1 { "a network".to_owned() } else { format!("{members} networks") }
}

fn list(mistakes: &[BadConfiguration]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl From<FitError> for TrainError {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Stopped => Self::Stopped { checkpoint: None },
            other => Self::Fit(other),
        }
    }
}
