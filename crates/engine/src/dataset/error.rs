//! Why a data set could not be read, built or written.

use std::io;
use std::path::{Path, PathBuf};

use rulebound_core::{LabelError, NotStratified, RuleErrors};

use super::mistake::Mistakes;
use super::pipeline::PipelineError;
use super::split::Split;
use crate::input::InputError;
use crate::output::OutputError;
use crate::table::TableError;

/// Why a data set could not be read, built or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A file or folder cannot be opened, read, unpacked or decoded.
    #[error(transparent)]
    Input(#[from] InputError),
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
        /// Its text.
        text: String,
        /// The mistakes.
        source: RuleErrors,
    },
    /// Rules that were not read from a file are not stratified.
    #[error(transparent)]
    NotStratified(#[from] NotStratified),
    /// The Parquet data cannot be read or written.
    #[error(transparent)]
    Table(TableError),
    /// A column of a Parquet file has a type that is no feature, label or identifier.
    #[error("column {column} `{name}` of {} holds {data_type}", path.display())]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
        /// What it holds, as Parquet calls it.
        data_type: String,
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
}

/// What went wrong with the bytes is the same error, whoever met it.
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
    /// That a file or folder cannot be opened.
    pub(super) fn open(path: &Path, source: io::Error) -> Self {
        InputError::Open { path: path.to_path_buf(), source }.into()
    }

    /// The error for `mistakes`, if there are any.
    pub(super) fn expect_none(path: &Path, mistakes: Mistakes) -> Result<(), Self> {
        if mistakes.is_empty() {
            return Ok(());
        }
        Err(Self::Broken { path: path.to_path_buf(), mistakes })
    }
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
