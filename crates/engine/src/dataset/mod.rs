//! Data sets: read from the files of many fields, prepared for a model, summed up, converted.
//!
//! ```text
//! Source ── read ──> Dataset ──> Pipeline ──> numbers for a model
//!                       ├──────> Summary           ↑
//!                       └──────> convert           │
//! a file ── RowReader ── row by row ───────────────┘
//! ```
//!
//! | format | labels | rules |
//! |---|---|---|
//! | Clus HMC ARFF | a `hierarchical` attribute | `child -> parent` |
//! | MULAN ARFF | an XML list | nested labels; a file of rules |
//! | MEKA ARFF | `-C n` in the relation's name | a file of rules |
//! | svmlight, libsvm | first in each line | a file of rules |
//! | CSV, TSV, Parquet | [`LabelColumns`] | a file of rules |
//! | OBO | | [`Ontology`] |
//!
//! All of them may be compressed with gzip. The invariants:
//!
//! - **Memory is the data set's own.** Files are read row by row; a row of more than 64 MiB, or a
//!   data set of more than 2³¹ cells, is an error, not an attempt.
//! - **Every mistake has a place**: file, line, column and the offending text; all mistakes of a
//!   file are looked for, the first twenty are told, the rest are counted.
//! - **Nothing is guessed silently.** What is an [identifier](Identifier), how names are made
//!   [unique](crate::table::unique_names) and how old encodings are read is written down where it is done.

mod arff;
mod builder;
mod cell;
mod column;
mod convert;
mod error;
mod hierarchy;
mod identifier;
mod label_columns;
mod label_matrix;
mod mistake;
mod ontology;
mod pipeline;
mod rows;
mod rules_file;
mod set;
mod source;
mod split;
mod summary;
mod svmlight;
mod table;

pub use builder::DatasetBuilder;
pub use column::{Column, ColumnKind};
#[doc(hidden)]
pub use convert::{ConvertFormat, convert};
#[doc(hidden)]
pub use error::Difference;
pub use error::{DatasetError, NotADataset};
#[doc(hidden)]
pub use hierarchy::ROOTS;
pub use identifier::Identifier;
pub use label_columns::LabelColumns;
pub use label_matrix::LabelMatrix;
pub use mistake::{Mistake, Mistakes, Problem};
pub use ontology::Ontology;
#[doc(hidden)]
pub use pipeline::Scale;
pub use pipeline::{Encoder, FittedColumn, Pipeline, PipelineError};
pub use rows::{RowBatch, RowOptions, RowReader, Unseen};
pub use set::Dataset;
#[doc(hidden)]
pub use set::Value;
pub use source::{Builtin, ReadOptions, Source, SourceReader, Step};
#[doc(hidden)]
pub use source::{FileFormat, Rectangle};
pub use split::Split;
#[doc(hidden)]
pub use split::SplitFile;
pub use summary::Summary;
pub use svmlight::IndexBase;
