//! Why a graph cannot be written, or a network not be used.

use std::path::PathBuf;

use crate::input::InputError;
use crate::model::ModelError;
use crate::output::OutputError;

/// Why a graph cannot be written, or a network not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// Requirements are settled by a search, row by row.
    #[error(
        "{count} requirements cannot be part of a graph: each row is settled by a search, which the operators of ONNX do not have; \
         export the rules without requirements"
    )]
    Requirements {
        /// How many there are.
        count: usize,
    },
    /// There is nothing to decide.
    #[error("there are no classes")]
    NoClasses,
    /// A learner that the operators cannot express.
    #[error("{learner} cannot be exported: {reason}")]
    Learner {
        /// The learner, in words.
        learner: String,
        /// Why.
        reason: &'static str,
    },
    /// A column whose name is that of an output.
    #[error(
        "the column `{name}` has the name of an output; export without named inputs, or rename the column"
    )]
    ColumnName {
        /// The name.
        name: String,
    },
    /// Columns that the parts of a blend see differently.
    #[error("the parts of the blend disagree about the column `{name}`")]
    Column {
        /// The name.
        name: String,
    },
    /// The model cannot be written to a file.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The file is something else, or a piece of one.
    #[error("{} is not an ONNX file: {reason}", path.display())]
    NotOnnx {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}
