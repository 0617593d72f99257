//! Why a data set could not be read, built or written.

use std::io;
use std::path::PathBuf;

use parquet::errors::ParquetError;
use rulebound_core::{LabelError, NotStratified, RuleErrors};

use super::mistake::Mistakes;
use super::pipeline::PipelineError;
use super::split::Split;
use crate::output::OutputError;

/// Why a data set could not be read, built or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// The file or folder cannot be opened.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Reading failed on the way.
    #[error("cannot read {} past line {line}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The last line that was read whole.
        line: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The compressed bytes are damaged or end too early.
    #[error("{} is not whole gzip: it breaks off or is damaged after line {line}", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// The last line that was read whole.
        line: u64,
        /// What the decoder said.
        source: io::Error,
    },
    /// A line, or a record of a table, is longer than we are ready to hold.
    #[error("line {line} of {} is longer than {limit} bytes", path.display())]
    LineTooLong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The most bytes a line may have.
        limit: usize,
    },
    /// A file that is read as a whole (rules, a descriptor) is larger than we are ready to hold.
    #[error("{} is larger than {limit} bytes", path.display())]
    FileTooLong {
        /// The file.
        path: PathBuf,
        /// The most bytes it may have.
        limit: u64,
    },
    /// The content is wrong; the error lists where.
    #[error("{}: {} mistake{}\n{mistakes}", path.display(), mistakes.total(), plural(mistakes.total()))]
    Broken {
        /// The file.
        path: PathBuf,
        /// The mistakes.
        mistakes: Mistakes,
    },
    /// An ARFF file without `@data`.
    #[error("{} has no @data line", path.display())]
    NoData {
        /// The file.
        path: PathBuf,
    },
    /// A table without a header line.
    #[error("{} has no header", path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
    /// Nothing says which columns are labels.
    #[error(
        "{} does not say which columns are labels: there is no hierarchical attribute, no XML list \
         beside it, no `-C` in the relation's name, and none were given",
        path.display()
    )]
    NoLabels {
        /// The file.
        path: PathBuf,
    },
    /// The label columns that were asked for are not there.
    #[error("{} has no label column {wanted}", path.display())]
    NoLabelColumn {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        wanted: String,
    },
    /// More label columns were asked for than there are columns.
    #[error("{} has {columns} columns, so {wanted} of them cannot be labels", path.display())]
    TooFewColumns {
        /// The file.
        path: PathBuf,
        /// How many label columns were asked for.
        wanted: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// A column that was asked for is not there.
    #[error("{} has no column `{name}`", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// The columns are not those that a model was fitted on.
    #[error("{}: {source}", path.display())]
    Columns {
        /// The file, or the name of the data set.
        path: PathBuf,
        /// Which are missing or of another kind.
        source: PipelineError,
    },
    /// The class names of a file are not a list of labels.
    #[error("the labels of {}: {source}", path.display())]
    Labels {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        source: LabelError,
    },
    /// The classes of a hierarchy are their own ancestors.
    #[error("the hierarchy of {} has a cycle: {}", path.display(), classes.join(" -> "))]
    Cycle {
        /// The file.
        path: PathBuf,
        /// The classes of the cycle from child to parent; the first one stands again at the end.
        classes: Vec<String>,
    },
    /// A file of a split has other columns or classes than the first one.
    #[error("{} does not fit {}: {difference}", path.display(), first.display())]
    SplitsDiffer {
        /// The first file.
        first: PathBuf,
        /// The file that does not fit.
        path: PathBuf,
        /// Where they part.
        difference: Difference,
    },
    /// Two files are of the same split.
    #[error("{} and {} are both of the {split} split", first.display(), second.display())]
    SplitTwice {
        /// The split.
        split: Split,
        /// The first file.
        first: PathBuf,
        /// The second file.
        second: PathBuf,
    },
    /// A folder holds no data set that can be read.
    #[error("{} holds no data set: {reason}", path.display())]
    NotADataset {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        reason: NotADataset,
    },
    /// The name of a file tells no format that can be read.
    #[error("{} has no extension that tells its format", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A file of rules is wrong.
    #[error("the rules of {}:\n{source}", path.display())]
    Rules {
        /// The file.
        path: PathBuf,
        /// The mistakes.
        source: RuleErrors,
    },
    /// Rules that were not read from a file are not stratified.
    #[error(transparent)]
    NotStratified(#[from] NotStratified),
    /// A Parquet file cannot be read.
    #[error("cannot read {}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What the reader said.
        source: ParquetError,
    },
    /// A column of a Parquet file has a type that is no feature, label or identifier.
    #[error("column {column} `{name}` of {} holds {data_type}", path.display())]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
        /// Its type.
        data_type: arrow_schema::DataType,
    },
    /// The descriptor of a converted data set is wrong.
    #[error("{} does not describe a data set", path.display())]
    Descriptor {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The descriptor is of a later version.
    #[error("{} has version {found}; this program reads version {known}", path.display())]
    DescriptorVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version we read.
        known: u32,
    },
    /// The data set would be too large to hold densely.
    #[error("{rows} rows of {columns} columns are too many to hold densely")]
    TooLarge {
        /// How many rows.
        rows: usize,
        /// How many columns.
        columns: usize,
    },
    /// A row given to a [builder](super::DatasetBuilder) does not fit the columns.
    #[error("row {row}, column `{column}`: {value} does not fit")]
    BadValue {
        /// The row, from 0.
        row: usize,
        /// The column's name.
        column: String,
        /// The value.
        value: f32,
    },
    /// A list has another length than it must have.
    #[error("there are {found} {what}, but {expected} are needed")]
    BadLength {
        /// Of what.
        what: &'static str,
        /// How many are needed.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Splits must be begun in the order train, valid, test, each once.
    #[error("the {next} split cannot begin after the {previous} split")]
    SplitOrder {
        /// The split begun before.
        previous: Split,
        /// The split that was to begin.
        next: Split,
    },
    /// A built-in problem has no such step.
    #[error("there is no step {0}; they go from 1 to 9")]
    NoStep(u8),
    /// Writing failed.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The folder to write into cannot be made.
    #[error("cannot make the folder {}", path.display())]
    MakeFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A Parquet file cannot be written.
    #[error("cannot write {}", path.display())]
    WriteParquet {
        /// The file.
        path: PathBuf,
        /// What the writer said.
        source: ParquetError,
    },
}

/// How the columns of two files differ.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Difference {
    /// Another number of columns.
    #[error("it has {found} columns, not {expected}")]
    Columns {
        /// In the first file.
        expected: usize,
        /// In this file.
        found: usize,
    },
    /// Another column in a place.
    #[error("column {column} is `{found}`, not `{expected}`")]
    Column {
        /// The place, from 1.
        column: usize,
        /// In the first file.
        expected: String,
        /// In this file.
        found: String,
    },
    /// A column of another type.
    #[error("column `{name}` has another type")]
    Kind {
        /// Its name.
        name: String,
    },
    /// Another hierarchy.
    #[error("its hierarchy has {found} classes, the first one's {expected}, or they are others")]
    Hierarchy {
        /// In the first file.
        expected: usize,
        /// In this file.
        found: usize,
    },
}

/// Why a folder holds no data set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotADataset {
    /// No file has a format that can be read.
    #[error("no file has a format that can be read")]
    NoFile,
    /// No row of an svmlight file has a feature, so there are no columns.
    #[error("no row has a feature")]
    NoFeature,
    /// The files are of several formats.
    #[error("the files are of several formats")]
    SeveralFormats,
    /// Several files, and the name of one tells no split.
    #[error("the name of `{0}` does not tell train, valid or test")]
    NoSplit(String),
    /// Several XML lists.
    #[error("there are several XML lists")]
    SeveralLists,
    /// Several files of rules.
    #[error("there are several files of rules")]
    SeveralRules,
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
