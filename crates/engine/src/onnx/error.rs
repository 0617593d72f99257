//! Why a graph cannot be written, or a network not be used.

use std::path::PathBuf;

use crate::input::InputError;
use crate::model::ModelError;
use crate::output::OutputError;

fn requirements(count: usize) -> String {
    if count == 1 { "a requirement".to_owned() } else { format!("{count} requirements") }
}

/// Why a graph cannot be written, or a network not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum OnnxError {
    /// Requirements of which rows can need search.
    #[error(
        "{} cannot be part of a graph: {}; use `predict --network`, or export the rules without requirements",
        requirements(*count),
        if *can_need_search {
            "rows of them can need a search, which the operators of ONNX cannot express (`rulebound check` says so)"
        } else {
            "there are too many to write out everything that follows from them"
        }
    )]
    Requirements {
        count: usize,
        /// Whether a row can need search, as far as is known.
        can_need_search: bool,
    },
    /// Requirements that would make each row too slow.
    #[error(
        "{} cannot be part of a graph: together with the rules they reach {classes} classes, and a graph would have to count \
         {counters} lines for each of them in each row; use `predict --network`, or export the rules without requirements",
        requirements(*count)
    )]
    RequirementsTooLarge {
        count: usize,
        /// How many classes they reach.
        classes: usize,
        /// How many lines there are to count.
        counters: usize,
    },
    /// There is nothing to decide.
    #[error("there are no classes")]
    NoClasses,
    /// A learner that the operators cannot express.
    #[error("{learner} cannot be exported: {reason}")]
    Learner {
        /// The learner, in words.
        learner: String,
        reason: &'static str,
    },
    /// A column whose name is that of an output.
    #[error(
        "the column `{name}` has the name of an output; export without named inputs, or rename the column"
    )]
    ColumnName { name: String },
    /// Columns that the parts of a blend see differently.
    #[error("the parts of the blend disagree about the column `{name}`")]
    Column { name: String },
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
    NotOnnx { path: PathBuf, reason: String },
    /// A network that cannot be used like this.
    #[error("{}: {reason}", path.display())]
    Network {
        path: PathBuf,
        /// What is in the way, and what to do.
        reason: String,
    },
    /// A file has at most 2 GiB.
    #[error("the file would have {bytes} bytes, more than the 2 GiB that the format allows")]
    TooLarge { bytes: usize },
    /// There is no onnxruntime.
    #[error(
        "onnxruntime was not found: install it (`pip install onnxruntime`), or name its library with --onnxruntime or ORT_DYLIB_PATH"
    )]
    NoLibrary,
    /// The library cannot be used.
    #[error("{} cannot be used as onnxruntime: {reason}; version 1.24 or later is needed (`pip install onnxruntime`)", path.display())]
    Library { path: PathBuf, reason: String },
    /// The variable that names the library has a path that depends on the working folder.
    #[error(
        "{variable} is a relative path, `{}`, which is not followed: give an absolute path in it, or the file by --onnxruntime",
        path.display()
    )]
    RelativeLibrary { variable: &'static str, path: PathBuf },
    /// A name that Python cannot import.
    #[error(
        "`{name}` cannot be the name of a Python module: use letters, digits and underscores, as in `model.safetensors`"
    )]
    ModuleName { name: String },
}
