//! Why a data set could not be read, built or written.

use std::io;
use std::path::{Path, PathBuf};

use rulebound_core::{LabelError, NotStratified, RequirementError, RuleErrors};

use super::complaint::{Difference, Mistakes, NotADataset};
use super::pipeline::{PipelineError, UnusualCells};
use super::source::ReadEstimate;
use super::split::Split;
use super::splitting::SplitError;
use rulebound_io::array::ArrayError;
use rulebound_io::input::{FileText, InputError};
use rulebound_io::memory::ByteSize;
use rulebound_io::output::OutputError;
use rulebound_io::storage::StorageError;
use rulebound_io::table::TableError;

/// Why a data set could not be read, built or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum DatasetError {
    /// A file or folder cannot be opened, read, decompressed or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The content has mistakes; the error lists them.
    #[error("{}: {} mistake{}\n{mistakes}", path.display(), mistakes.total(), plural(mistakes.total()))]
    Broken { path: PathBuf, mistakes: Mistakes },
    /// An ARFF file without `@data`.
    #[error("{} has no @data line", path.display())]
    NoData { path: PathBuf },
    /// A table without a header line.
    #[error("{} has no header", path.display())]
    NoHeader { path: PathBuf },
    /// Nothing says which columns are labels.
    #[error(
        "{} does not say which columns are labels: there is no hierarchical attribute, no XML list \
         next to it, no `-C` in the relation's name, and none were given",
        path.display()
    )]
    NoLabels { path: PathBuf },
    /// The requested label columns do not exist.
    #[error("{} has no label column {wanted}", path.display())]
    NoLabelColumn { path: PathBuf, wanted: String },
    /// Labels lack a class that they imply, and are refused for it.
    #[error("{data}: the labels of {row} imply `{class}`, which is not among them")]
    IncompleteLabels {
        data: String,
        /// The row, by its identifier or its number.
        row: String,
        class: String,
    },
    /// Labels break a requirement, and are refused for it.
    #[error("{data}: the labels of {row} break the requirement `{requirement}`")]
    BrokenRequirement {
        data: String,
        /// The row, by its identifier or its number.
        row: String,
        requirement: String,
    },
    /// More label columns were requested than there are columns.
    #[error("{} has {columns} columns, so {wanted} of them cannot be labels", path.display())]
    TooFewColumns {
        path: PathBuf,
        /// How many label columns were requested.
        wanted: usize,
        columns: usize,
    },
    /// A requested column does not exist.
    #[error("{} has no column `{name}`", path.display())]
    NoColumn { path: PathBuf, name: String },
    /// The columns are not those that the model was trained on.
    #[error("{}: {source}", path.display())]
    Columns {
        /// The file, or the name of the data set.
        path: PathBuf,
        /// Which columns are missing or of another kind.
        source: PipelineError,
    },
    /// The class names of a file are not valid labels.
    #[error("the labels of {}: {source}", path.display())]
    Labels {
        path: PathBuf,
        /// What is wrong with them.
        source: LabelError,
    },
    /// The ontology has terms that are not classes of the data, and they are an error.
    #[error("{} has {} that the data has not: `{}`", path.display(), counted(classes), some(classes))]
    UnknownTerms { path: PathBuf, classes: Vec<String> },
    /// None of the classes is a term of the ontology: it is another one.
    #[error(
        "{}: none of the classes is a term of the ontology: `{}`; its terms are called like `{example}`",
        path.display(),
        some(classes)
    )]
    NoTermKnown {
        path: PathBuf,
        /// The classes, with what the ontology knows about them.
        classes: Vec<String>,
        example: String,
    },
    /// Too many of the labels are not terms of the ontology.
    #[error(
        "{}: {} of {of} are not terms of the ontology: `{}`",
        path.display(),
        counted(classes),
        some(classes)
    )]
    NotTerms {
        path: PathBuf,
        /// The classes, with what the ontology knows about them.
        classes: Vec<String>,
        of: usize,
    },
    /// No id of a table of labels is one of the data.
    #[error(
        "no id of {} is in column `{column}` of {data}: `{}` there, `{}` here",
        path.display(),
        some(theirs),
        some(ours)
    )]
    NothingJoined {
        path: PathBuf,
        data: String,
        /// The column with the ids of the data.
        column: String,
        /// The first ids of the table.
        theirs: Box<[String]>,
        /// The first ids of the data.
        ours: Box<[String]>,
    },
    /// A table of labels has no label.
    #[error("{} has no labels", path.display())]
    NoLabelInTable { path: PathBuf },
    /// None of the labels is a class of the model.
    #[error(
        "{data} has no label that is a class of the model, like `{example}`: `{}`",
        some(classes)
    )]
    NoClassInCommon {
        data: String,
        /// The classes of its labels.
        classes: Vec<String>,
        /// A class of the model.
        example: String,
    },
    /// Every class has too few training rows.
    #[error(
        "every class of {data} has too few training rows: the most that one has is {most}, {least} are asked for"
    )]
    NoFrequentClass {
        data: String,
        /// How many rows a class must have.
        least: usize,
        /// How many the most frequent class has.
        most: usize,
    },
    /// No row has a label.
    #[error("no row of {data} has a label")]
    NoLabelledRow { data: String },
    /// The weight of a row is not a number of at least 0.
    #[error("row {row}: {text:?} in column `{column}` is not a weight, a number of at least 0")]
    BadWeight {
        /// The row, from 1.
        row: usize,
        column: String,
        text: String,
    },
    /// There is no column with weights of rows, or no weight above 0 in it.
    #[error("{data} has no weights above 0 in a column `{column}`")]
    NoWeights { data: String, column: String },
    /// The data has classes that are not in the label list.
    #[error("{data} has {} that the label list has not: `{}`", counted(classes), some(classes))]
    NotListed { data: String, classes: Vec<String> },
    /// The label list has classes that no column of the data gives.
    #[error(
        "{data} has no label column for {} of the label list: `{}`",
        counted(classes),
        some(classes)
    )]
    NoClassColumn { data: String, classes: Vec<String> },
    /// The hierarchy has a cycle.
    #[error("the hierarchy of {} has a cycle: {}", path.display(), classes.join(" -> "))]
    Cycle {
        path: PathBuf,
        /// The classes of the cycle from child to parent; the first one is repeated at the end.
        classes: Vec<String>,
    },
    /// The file of a split has different columns or classes than the first file.
    #[error("{} does not match {}: {difference}", path.display(), first.display())]
    SplitsDiffer {
        first: PathBuf,
        /// The file that does not match.
        path: PathBuf,
        difference: Difference,
    },
    /// Two files belong to the same split.
    #[error("{} and {} both belong to the {split} split", first.display(), second.display())]
    SplitTwice { split: Split, first: PathBuf, second: PathBuf },
    /// A folder does not contain a readable data set.
    #[error("{} is not a data set: {reason}", path.display())]
    NotADataset { path: PathBuf, reason: NotADataset },
    /// An ontology where rows are expected.
    #[error("{}: an ontology has rules, not rows", path.display())]
    NotRows { path: PathBuf },
    /// The format of a file is unknown.
    #[error("{}: unknown file extension", path.display())]
    UnknownFormat { path: PathBuf },
    /// A rule file has mistakes.
    #[error("mistakes in the rules of {}:\n{source}", path.display())]
    Rules { path: PathBuf, text: FileText, source: RuleErrors },
    /// The data cannot be split as requested.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// Rules that were not read from a file are not stratified.
    #[error(transparent)]
    NotStratified(#[from] NotStratified),
    /// The rules of the data and the requirements of its rule file cannot all hold.
    #[error(transparent)]
    Requirements(#[from] RequirementError),
    /// The Parquet data cannot be read or written.
    #[error(transparent)]
    Table(TableError),
    /// A column of a Parquet file has an unsupported type.
    #[error("column {column} `{name}` of {} has the unsupported type {data_type}", path.display())]
    ColumnType {
        path: PathBuf,
        /// The column, from 1.
        column: usize,
        name: String,
        /// Its type, as Parquet calls it.
        data_type: String,
    },
    /// The descriptor of a converted data set is not valid.
    #[error("{} is not a valid data set descriptor", path.display())]
    Descriptor { path: PathBuf, source: serde_json::Error },
    /// The descriptor has a newer version.
    #[error("{} has version {found}, but this program reads version {known}", path.display())]
    DescriptorVersion {
        path: PathBuf,
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// The data set would be too large to hold.
    #[error(
        "{rows} rows of {columns} columns are too many for a data set, with their labels and ids"
    )]
    TooLarge { rows: usize, columns: usize },
    /// A row given to a [builder](super::DatasetBuilder) does not match the columns.
    #[error("row {row}, column `{column}`: {value} is not a valid value")]
    BadValue {
        /// The row, from 0.
        row: usize,
        column: String,
        value: f32,
    },
    /// An array cannot be read.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// Nothing says where the labels of an array are.
    #[error("{} has no labels: they are in a second array", path.display())]
    NoLabelArray { path: PathBuf },
    /// The data needs more memory than it may have.
    #[error(
        "{}: about {} rows of {} columns need {} of memory; {} may be used",
        path.display(), estimate.rows, estimate.columns, ByteSize(estimate.bytes), ByteSize(*limit)
    )]
    Memory {
        path: PathBuf,
        estimate: ReadEstimate,
        /// The bytes that may be used.
        limit: u64,
    },
    /// The system gave no more memory.
    #[error("out of memory after {rows} rows, whose features take {}", ByteSize(*held))]
    OutOfMemory {
        /// How many rows were read.
        rows: usize,
        /// The bytes of their features.
        held: u64,
    },
    /// There is no room for the rows.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The columns of a sparse row do not ascend, or there are not as many.
    #[error("the columns of sparse row {row} must ascend and be below {width}")]
    BadColumns {
        /// The row, from 0.
        row: usize,
        width: usize,
    },
    /// A list has the wrong length.
    #[error("found {found} {what}, expected {expected}")]
    BadLength { what: &'static str, expected: usize, found: usize },
    /// Splits must be begun in the order train, valid, test, each once.
    #[error("the {next} split cannot begin after the {previous} split")]
    SplitOrder {
        previous: Split,
        /// The split that was requested next.
        next: Split,
    },
    /// A built-in problem has no such step.
    #[error("no step {0}; steps are 1 to 9")]
    NoStep(u8),
    /// Writing failed.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Labels are in a table of their own, and nothing says by which column to find them.
    #[error("{} can be joined only by an id column", path.display())]
    NoIdToJoin { path: PathBuf },
    /// A class with too few training rows occurs in a rule of the data.
    #[error("the class `{class}` has too few training rows and cannot be left out: {problem}")]
    RareClassInRules {
        class: String,
        /// Why the rules of the data need it.
        problem: Box<rulebound_core::HidingError>,
    },
    /// Too many rows have numbers that are far outside of what training saw.
    #[error(
        "{}: {} of {} rows have numbers far outside of what training saw, in {}; at most {} % may",
        path.display(), found.out_of_range_rows, found.rows, columns_of(found), 100.0 * most
    )]
    OutOfRange {
        path: PathBuf,
        /// The largest share that may have such numbers.
        most: f64,
        found: UnusualCells,
    },
    /// The output folder already has files.
    #[error("{} is not empty; splits are written to a new folder", path.display())]
    FolderInUse { path: PathBuf },
    /// Kinds of columns were given for a format that has its own.
    #[error("{}: only CSV, TSV and Parquet can have numeric columns and a table of labels", path.display())]
    NotATable { path: PathBuf },
    /// The output folder cannot be created.
    #[error("cannot create the folder {}", path.display())]
    MakeFolder { path: PathBuf, source: io::Error },
}

/// Errors about bytes are the same, whichever layer found them.
impl From<TableError> for DatasetError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Input(error) => Self::Input(error),
            TableError::Output(error) => Self::Output(error),
            error => Self::Table(error),
        }
    }
}

impl DatasetError {
    /// The error for a file or folder that cannot be opened.
    pub(super) fn open(path: &Path, source: io::Error) -> Self {
        InputError::Open { path: path.to_path_buf(), source }.into()
    }

    /// Returns an error if there are `mistakes`.
    pub(super) fn expect_none(path: &Path, mistakes: Mistakes) -> Result<(), Self> {
        if mistakes.is_empty() {
            return Ok(());
        }
        Err(Self::Broken { path: path.to_path_buf(), mistakes })
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The most names in a message.
const NAMED: usize = 20;

fn counted(classes: &[String]) -> String {
    format!("{} class{}", classes.len(), if classes.len() == 1 { "" } else { "es" })
}

/// The first names, and how many more there are.
fn some(classes: &[String]) -> String {
    let shown = classes[..classes.len().min(NAMED)].join("`, `");
    match classes.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown}` and {more} more `…"),
    }
}

fn columns_of(found: &UnusualCells) -> String {
    let columns = found.out_of_range.iter().take(NAMED);
    let mut names: Vec<String> = columns.map(|column| format!("`{}`", column.column)).collect();
    if found.out_of_range.len() > NAMED {
        names.push(format!("{} more", found.out_of_range.len() - NAMED));
    }
    names.join(", ")
}
