//! Sources: one concept for everything that data can come from.
//!
//! A built-in problem by its name, or a path to a file or folder. Names win over paths; write
//! `./rectangles` for a folder of that name.

mod builtin;
mod checksum;
mod estimate;
mod file_format;
mod folder;
mod memory;
mod rectangle;
mod source_reader;

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use self::builtin::Builtin;
pub use self::checksum::{checksum, checksum_of_bytes, checksum_with};
pub use self::estimate::ReadEstimate;
pub use self::file_format::FileFormat;
pub use self::folder::source_files;
pub use self::memory::{RulesMemory, SourceMemory};
pub use self::rectangle::{Rectangle, Step};
pub use self::source_reader::SourceReader;

pub(super) use self::folder::Files;
use rulebound_core::{Labels, RulesAs, SettleLimit};

use super::arff::{self, LabelPlace};
use super::array_file::{self, ArrayChoice};
use super::classes::LabelsWritten;
use super::column_choice::{Chosen, ColumnChoice};
use super::convert;
use super::error::DatasetError;
use super::label_table::LabelTable;
use super::labels::columns::LabelColumns;
use super::rules_file::RulesFile;
use super::set::Dataset;
use super::splitting::SplitRecipe;
use super::svmlight::{self, IndexBase};
use super::table;
use crate::label_policy::LabelPolicy;
use crate::unknown_labels::UnknownLabels;
use rulebound_io::storage::Storage;

/// Where data comes from.
///
/// ```
/// use rulebound_data::dataset::{ReadOptions, Source};
/// let source: Source = "nine-rectangles".parse()?;
/// let data = source.read(&ReadOptions::default())?;
/// assert_eq!((data.rows(), data.classes().len()), (5000, 9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// A problem that is generated.
    Builtin(Builtin),
    /// A file or folder.
    Path(PathBuf),
}

/// What a source cannot tell by itself.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The label columns of a table or an ARFF file that does not name its labels.
    pub labels: Option<LabelColumns>,
    /// A table of ids and labels, one pair per line, that is joined by the first identifier that is given, else by
    /// the first that is remembered.
    pub label_table: Option<PathBuf>,
    /// Leave out rows without any label, where labels are written by their names.
    pub drop_unlabelled: bool,
    /// Classes that fewer training rows have are left out, once what labels imply is counted too; 0 keeps all.
    pub min_count: usize,
    /// What to do with rows whose labels break a rule; unset: [`LabelPolicy::default_for`] decides.
    pub label_policy: Option<LabelPolicy>,
    /// The classes of a model: where labels are written by their names, what follows from them by the rules is cut
    /// to these.
    pub only_classes: Option<Labels>,
    /// The classes and their order; without a list they are those of the data.
    pub classes: Option<Labels>,
    /// The labels of an array, in an array of 0 and 1.
    pub label_array: Option<PathBuf>,
    /// The names of the columns of an array.
    pub column_names: Option<Vec<String>>,
    /// Columns that are identifiers although nothing shows it.
    pub identifiers: Vec<String>,
    /// Columns of a table that are nominal although they hold numbers, or many values.
    pub nominal: Vec<String>,
    /// Columns of a table that are numeric whatever they hold; other cells are mistakes.
    pub numeric: Vec<String>,
    /// Columns of a table that are left out; a name that ends in `*` is a prefix.
    pub ignored: Vec<String>,
    /// What a model knows about columns of a table; those that are absent are not missed.
    pub remembered: ColumnChoice,
    /// A file of rules, in any dialect or OBO; they come after those the data brings.
    pub rules: Option<PathBuf>,
    /// How to split the rows; by default the splits of the source stay as they are.
    pub splitting: SplitRecipe,
    /// The column with the weights of rows, which is not a feature.
    pub weight_column: Option<String>,
    /// What to do with classes that rules know and the data does not.
    pub unknown_labels: UnknownLabels,
    /// What rules are read as: those of the data, and those of a file.
    pub rules_as: RulesAs,
    /// What may be spent on requirements.
    pub settle_limit: SettleLimit,
    /// The number of the first feature of svmlight files.
    pub index_base: IndexBase,
    /// The bytes that the data may take; what needs more is refused before it is read. Unset: what
    /// is available.
    pub memory_limit: Option<u64>,
    /// Where the features of the rows are kept.
    pub storage: Storage,
    /// The step of a built-in problem that has steps.
    pub step: Step,
    /// The seed of a built-in problem.
    pub seed: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            labels: None,
            label_table: None,
            drop_unlabelled: false,
            min_count: 0,
            label_policy: None,
            only_classes: None,
            classes: None,
            label_array: None,
            column_names: None,
            identifiers: Vec::new(),
            nominal: Vec::new(),
            numeric: Vec::new(),
            ignored: Vec::new(),
            remembered: ColumnChoice::default(),
            rules: None,
            splitting: SplitRecipe::default(),
            weight_column: None,
            unknown_labels: UnknownLabels::default(),
            rules_as: RulesAs::default(),
            settle_limit: SettleLimit::default(),
            index_base: IndexBase::default(),
            memory_limit: None,
            storage: Storage::Memory,
            step: Step::HALFWAY,
            seed: 0,
        }
    }
}

impl ReadOptions {
    /// Whether labels are written by their names, only those that a row has.
    pub fn labels_by_name(&self) -> bool {
        self.label_table.is_some() || matches!(self.labels, Some(LabelColumns::Joined(_)))
    }

    /// What to do with rows whose labels break a rule.
    pub fn policy(&self) -> LabelPolicy {
        self.label_policy.unwrap_or(LabelPolicy::default_for(self.labels_by_name()))
    }
}

impl FromStr for Source {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(problem) = text.parse() {
            return Ok(Self::Builtin(problem));
        }
        Ok(Self::Path(text.into()))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(problem) => write!(f, "{problem}"),
            Self::Path(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Source {
    /// Reads the data.
    ///
    /// # Errors
    /// When it is not there, cannot be read, or is wrong; see [`DatasetError`].
    pub fn read(&self, options: &ReadOptions) -> Result<Dataset, DatasetError> {
        let data = self.read_whole(options)?;
        let data = options.splitting.apply(data)?;
        let mut data = with_given_rules(data, options)?;
        // A converted data set knows its roots.
        if !self.is_converted() || options.rules.is_some() {
            data = data.with_roots();
        }
        data = with_rules_as(data, options)?;
        let weights = options.weight_column.as_deref();
        if let Some(column) = weights {
            data = data.with_row_weights(column)?;
        }
        let split_column = options.splitting.split_column.as_deref();
        let is_asked = |name: &str| options.identifiers.iter().any(|asked| asked == name);
        Ok(data.without_identifiers(|name| {
            (split_column == Some(name) || weights == Some(name)) && !is_asked(name)
        }))
    }

    /// Whether it is a folder that `convert` wrote.
    fn is_converted(&self) -> bool {
        matches!(self, Self::Path(path) if path.join(convert::DESCRIPTOR).is_file())
    }

    /// Reads the data with the splits, the classes and the rules of the source itself; the columns that
    /// decide other splits are identifiers.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_whole(&self, options: &ReadOptions) -> Result<Dataset, DatasetError> {
        let join = options.identifiers.first().or(options.remembered.identifiers.first());
        let join = join.map(String::as_str);
        let mut identifiers = options.identifiers.clone();
        for column in options.splitting.columns().chain(&options.weight_column) {
            if !identifiers.contains(column) {
                identifiers.push(column.clone());
            }
        }
        let options = &ReadOptions { identifiers, ..options.clone() };
        let data = match self {
            Self::Builtin(problem) => {
                let data = problem.generate(options.step, options.seed)?;
                listed(data, options, LabelsWritten::Columns)?
            }
            Self::Path(path) => read_path(path, options, join)?,
        };
        match options.drop_unlabelled && options.labels_by_name() {
            true => data.without_unlabelled(),
            false => Ok(data),
        }
    }
}

/// The data under the rules of a file that was given, after its own, with the classes that the options ask for.
pub(super) fn with_given_rules(
    data: Dataset,
    options: &ReadOptions,
) -> Result<Dataset, DatasetError> {
    let read = |path| RulesFile::read(path, None, options.settle_limit);
    let file = options.rules.as_deref().map(read).transpose()?;
    data.under_rules(file.as_ref(), options)
}

/// The data with its rules read as asked for. What a hierarchy says of its roots must be known before.
pub(super) fn with_rules_as(data: Dataset, options: &ReadOptions) -> Result<Dataset, DatasetError> {
    if options.rules_as == RulesAs::Rules || data.program().rules().is_empty() {
        return Ok(data);
    }
    let program = data.program().clone().with_settle_limit(options.settle_limit);
    let program = program.rules_as_clauses()?;
    data.with_program(program)
}

fn read_path(
    path: &Path,
    options: &ReadOptions,
    join: Option<&str>,
) -> Result<Dataset, DatasetError> {
    let storage = &options.storage;
    let Some(files) = Files::find(path)? else {
        let data = without_ignored(convert::read(path, storage)?, options, path)?;
        return listed(data, options, LabelsWritten::Columns);
    };
    if !storage.is_disk() {
        files.expect_room(options.memory_limit)?;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.split('.').next().unwrap_or_default();
    let identifiers = &options.identifiers;
    let is_typed = !files.format.is_table();
    if is_typed && (!options.numeric.is_empty() || options.label_table.is_some()) {
        return Err(DatasetError::NotATable { path: path.to_path_buf() });
    }
    let data = match files.format {
        FileFormat::Arff => {
            let columns = options.labels.as_ref();
            let place = LabelPlace { xml: files.xml.as_deref(), columns };
            arff::read(name, &files.splits, place, identifiers, storage)?
        }
        FileFormat::Svmlight => svmlight::read(name, &files.splits, options.index_base, storage)?,
        FileFormat::Array => {
            let names = options.column_names.as_deref();
            let choice = ArrayChoice { names, labels: options.label_array.as_deref() };
            array_file::read(name, &files.splits, choice, storage)?
        }
        FileFormat::Csv | FileFormat::Tsv | FileFormat::Parquet => {
            let labels = match (&options.labels, &options.label_table) {
                (_, Some(_)) => &LabelColumns::None,
                (Some(labels), None) => labels,
                (None, None) => {
                    return Err(DatasetError::NoLabels { path: files.splits[0].path.clone() });
                }
            };
            let given = ColumnChoice {
                identifiers: identifiers.clone(),
                nominal: options.nominal.clone(),
                numeric: options.numeric.clone(),
                ignored: options.ignored.clone(),
            };
            let choice = table::Choice { labels, given: &given, remembered: &options.remembered };
            table::read(name, &files.splits, files.format, choice, storage)?
        }
    };
    let data = match &options.label_table {
        None => data,
        Some(labels) => {
            let Some(id) = join else {
                return Err(DatasetError::NoIdToJoin { path: labels.clone() });
            };
            LabelTable::read(labels, id)?.join(data, id)?
        }
    };
    // Tables do not even read what is ignored.
    let data = match files.format.is_table() {
        true => data,
        false => without_ignored(data, options, path)?,
    };
    let written = match (&files.format, &options.labels) {
        (FileFormat::Svmlight | FileFormat::Array, _) => LabelsWritten::Numbers,
        (FileFormat::Arff, None) | (_, Some(LabelColumns::Joined(_))) => LabelsWritten::Names,
        _ if options.label_table.is_some() => LabelsWritten::Names,
        _ => LabelsWritten::Columns,
    };
    with_rules(listed(data, options, written)?, files.rules.as_deref(), options)
}

/// The data with the classes of the list, if one is given.
fn listed(
    data: Dataset,
    options: &ReadOptions,
    written: LabelsWritten,
) -> Result<Dataset, DatasetError> {
    match &options.classes {
        Some(list) => data.with_classes(list, written),
        None => Ok(data),
    }
}

fn without_ignored(
    data: Dataset,
    options: &ReadOptions,
    path: &Path,
) -> Result<Dataset, DatasetError> {
    let ignored = options.ignored.clone();
    let choice = ColumnChoice { ignored, ..ColumnChoice::default() };
    let names: Vec<String> = data.columns().iter().map(|column| column.name.clone()).collect();
    choice.expect_columns(&names, path)?;
    let is_ignored =
        |name: &str| choice.of(name).or(options.remembered.of(name)) == Some(Chosen::Ignored);
    Ok(data.without_columns(is_ignored))
}

fn with_rules(
    data: Dataset,
    rules: Option<&Path>,
    options: &ReadOptions,
) -> Result<Dataset, DatasetError> {
    let Some(path) = rules else { return Ok(data) };
    let file = RulesFile::read(path, None, options.settle_limit)?;
    if options.labels_by_name() {
        // Classes are counted and chosen last, when all rules are there.
        let all = ReadOptions { min_count: 0, only_classes: None, ..options.clone() };
        return data.under_rules(Some(&file), &all);
    }
    let (unknown, rules_as) = (options.unknown_labels, options.rules_as);
    let fitted = file.fit(data.classes(), data.program(), unknown, rules_as)?;
    data.with_fitted(fitted)
}
