//! Data sets: read from many file formats, prepared for a model, summarized, converted.
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
//! | MULAN ARFF | an XML list | nested labels; a rule file |
//! | MEKA ARFF | `-C n` in the relation's name | a rule file |
//! | svmlight, libsvm | first in each line | a rule file |
//! | NumPy `.npz`, `.npy` | an array of 0 and 1 | a rule file |
//! | CSV, TSV, Parquet | [`LabelColumns`] | a rule file |
//! | OBO | | [`Ontology`] |
//!
//! All of them may be compressed with gzip. The invariants:
//!
//! - **Only the data set itself is held in memory.** Files are read row by row; a row of more than
//!   64 MiB, or a data set of more than 2³¹ stored cells, is an error. Large data from a sparse file
//!   is kept [sparse](rulebound_io::features).
//! - **Every mistake has a place**: file, line, column and the offending text; all mistakes of a
//!   file are found, the first twenty are reported, the rest are counted.
//! - **Nothing is guessed silently.** What is an [identifier](Identifier), how names are made
//!   [unique](unique_names) and how old encodings are read is documented where it is
//!   done.

mod arff;
mod array_file;
mod builder;
mod cell;
mod classes;
mod column;
mod column_choice;
mod column_summary;
mod complaint;
mod convert;
mod error;
mod file_rows;
mod identifier;
mod in_memory;
mod judge;
mod label_table;
mod labels;
mod ontology;
mod pipeline;
mod roots;
mod row_weights;
mod rows;
mod rules_file;
mod set;
mod source;
mod split;
mod split_files;
mod splitting;
mod summary;
mod svmlight;
mod table;
mod terms;
mod under_rules;

pub use builder::DatasetBuilder;
pub use column::{Column, ColumnKind};
pub use column_choice::ColumnChoice;
pub use column_summary::{ColumnSummary, SummaryKind};
#[doc(hidden)]
pub use complaint::Difference;
pub use complaint::{ColumnDoubt, DoubtKind, Mistake, Mistakes, NotADataset, Problem, ReadNote};
#[doc(hidden)]
pub use convert::{ConvertFormat, convert, convert_as};
pub use error::DatasetError;
pub use identifier::Identifier;
pub use identifier::looks_like_id;
pub use labels::columns::LabelColumns;
#[doc(hidden)]
pub use labels::hierarchy::ROOTS;
pub use labels::matrix::LabelMatrix;
pub use ontology::{Ontology, OntologyContents};
pub use pipeline::{
    Encoder, FittedColumn, FittedRange, OutOfRange, Pipeline, PipelineError, Scale, Scaling,
    Unseen, UnusualCells,
};
pub use rows::{RowBatch, RowOptions, RowReader};
/// The text that means a missing cell.
pub use rulebound_io::table::MISSING;
pub use set::Dataset;
pub use set::Value;
pub use source::{
    Builtin, ReadEstimate, ReadOptions, RulesMemory, Source, SourceMemory, SourceReader, Step,
    checksum, checksum_of_bytes, checksum_with,
};
#[doc(hidden)]
pub use source::{FileFormat, Rectangle, source_files};
pub use split::Split;
#[doc(hidden)]
pub use split::SplitFile;
#[doc(hidden)]
pub use split_files::split_files;
pub use splitting::{Folds, SplitError, SplitRecipe};
pub use summary::Summary;
pub use svmlight::IndexBase;

// Errors inside of those of this room.
#[doc(inline)]
pub use rulebound_io::array::ArrayError;
#[doc(inline)]
pub use rulebound_io::input::InputError;
#[doc(inline)]
pub use rulebound_io::output::OutputError;
#[doc(inline)]
pub use rulebound_io::table::{TableError, unique_names};
