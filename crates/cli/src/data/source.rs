//! The arguments of a data source, shared by every command that takes one.

use super::column_arguments::ColumnArguments;
use super::doubts::print_notes;
use super::split_arguments::SplitArguments;
use crate::choice;
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::files::files_of;
use crate::screen;
use crate::text::{count, hidden_note};
use clap::{Args, ValueEnum};
use rulebound::class_names::ClassNames;
use rulebound::configuration::LabelPolicy;
use rulebound::dataset::{
    ColumnChoice, Dataset, FileFormat, IndexBase, LabelColumns, ReadOptions, Source, SourceMemory,
    Split, SplitRecipe, Step, checksum_with, split_files,
};
use rulebound::rule_file::read_labels;
use rulebound::storage::Storage;
use rulebound::train::Stopping;
use rulebound::unknown_labels::UnknownLabels;
use rulebound_core::{Labels, RulesAs, SettleLimit};
use rulebound_io::memory::ByteSize;
use rulebound_reproduction::DataSource;
use std::convert::Infallible;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Args)]
pub struct SourceArguments {
    /// Name from `rulebound data list`, or a path
    #[arg(value_name = "SOURCE")]
    source: String,
    #[command(flatten)]
    details: SourceDetails,
    /// Column that identifies rows and is not a feature (repeatable)
    #[arg(long = "id-column", value_name = "NAME")]
    id_columns: Vec<String>,
    /// Rule file or OBO ontology about the labels; added to the rules of the source
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// What to do with classes that the rules know and the data does not
    #[arg(long, value_name = "WHAT", default_value = "hide-in-rules", value_parser = choice::unknown_labels())]
    unknown_labels: UnknownLabels,
    /// What a rule is: it raises its head, or is a requirement like any other
    #[arg(long, value_name = "READING", default_value = "rules", value_parser = choice::one_of::<RulesAs>(RulesAs::NAMES))]
    rules_as: RulesAs,
    /// Conflicts that may be met in deciding whether requirements can be satisfied, and in settling a row
    #[arg(long, value_name = "N", default_value_t = SettleLimit::DEFAULT)]
    settle_limit: u64,
}

/// What cannot be read from the source itself.
#[derive(Args)]
#[command(next_help_heading = "Reading the source")]
pub struct SourceDetails {
    /// Folder with the data sets of the paper [default: $RULEBOUND_DATA, else the user's data folder]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Label columns of a table: `a,b,c`, a prefix `label_*`, or the number of last columns
    #[arg(long, value_name = "COLUMNS", conflicts_with = "label_column")]
    label_columns: Option<String>,
    /// Single column with all labels of a row, separated by `|`
    #[arg(long, value_name = "NAME")]
    label_column: Option<String>,
    /// Labels of a NumPy array: a second array of 0s and 1s, one column per class
    #[arg(long, value_name = "Y.npy", conflicts_with_all = ["label_columns", "label_column"])]
    label_array: Option<PathBuf>,
    /// File with the column names of a NumPy array, one per line [default: f0, f1, ...]
    #[arg(long = "columns", value_name = "FILE")]
    column_names: Option<PathBuf>,
    #[command(flatten)]
    columns: ColumnArguments,
    /// Index of the first feature in svmlight files [default: detected]
    #[arg(long, value_name = "N", value_parser = ["0", "1"])]
    index_base: Option<String>,
    /// Memory that may be used, such as 4GiB or 500MB: what needs more is refused before it is read
    /// [default: what is available]
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<ByteSize>,
    /// `rectangles`, `three-classes`: position of R1 on its way into R2, 1 to 9 [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=9))]
    step: Option<u8>,
    /// `rectangles`, `three-classes`: an arrangement of the paper's figure, instead of a step
    #[arg(long, value_name = "NAME", conflicts_with = "step")]
    arrangement: Option<Arrangement>,
    /// Random seed of the points of a built-in problem [default: 0]
    #[arg(long, value_name = "N")]
    data_seed: Option<u64>,
    #[command(flatten)]
    splitting: SplitArguments,
}

/// The position of R1 relative to R2.
#[derive(Clone, Copy, ValueEnum)]
enum Arrangement {
    /// R1 inside R2
    Inside,
    /// R1 and R2 apart
    Apart,
    /// R1 partly inside R2
    Partly,
}

impl SourceDetails {
    /// The options, as clap calls them, for those that they do not go with. A struct with others inside is no group.
    pub const IDS: [&'static str; 12] = [
        "data_dir",
        "label_columns",
        "label_column",
        "label_array",
        "column_names",
        "index_base",
        "memory_limit",
        "step",
        "arrangement",
        "data_seed",
        "ColumnArguments",
        "SplitArguments",
    ];
}

impl SourceArguments {
    pub fn source(&self) -> DataSource {
        source(&self.source)
    }

    /// The bytes that may be used, if they were given.
    pub fn memory_limit(&self) -> Option<u64> {
        self.details.memory_limit()
    }

    pub fn read(&self) -> Result<Dataset, Failure> {
        self.read_with(None, None, None, Storage::Memory)
    }

    /// The names of the classes of the data; also those that the ontology of --rules knows for them.
    pub fn class_names<'a>(&self, data: &'a Dataset) -> ClassNames<'a> {
        ClassNames::new(data.classes()).with_rules_of(self.rules.clone())
    }

    /// Whether labels are written by their names.
    pub fn labels_by_name(&self) -> bool {
        self.details.label_table().is_some() || self.details.label_column.is_some()
    }

    /// Reads data about the classes of a list, with weights of rows from a column, whose rows are kept there.
    pub fn read_with(
        &self,
        classes: Option<Labels>,
        policy: Option<LabelPolicy>,
        weight_column: Option<String>,
        storage: Storage,
    ) -> Result<Dataset, Failure> {
        let mut options = self.details.options(&self.id_columns, self.rules.as_deref())?;
        (options.classes, options.unknown_labels) = (classes, self.unknown_labels);
        (options.weight_column, options.rules_as) = (weight_column, self.rules_as);
        (options.storage, options.label_policy) = (storage, policy);
        options.settle_limit = SettleLimit::new(self.settle_limit);
        self.details.read_with(&self.source(), &options)
    }

    /// Returns an error if validation rows would be drawn row by row although rows are grouped.
    pub fn expect_whole_groups(&self, data: &Dataset, stopping: &Stopping) -> Result<(), Failure> {
        let is_drawn = matches!(stopping, Stopping::Early(_)) && data.split(Split::Valid).is_none();
        if is_drawn && self.details.splitting.recipe().group_column.is_some() {
            let message = "--group-column needs --valid-share, so that no group is both trained and \
                           validated on (or --epochs, which needs no validation rows)";
            return Err(Failure::Usage(message.to_owned()));
        }
        Ok(())
    }

    /// How rows are split.
    pub fn recipe(&self) -> SplitRecipe {
        self.details.splitting.recipe()
    }

    /// The identifier of the data to copy beside scores: not the group, unless it was asked for.
    pub fn id_of<'a>(&self, data: &'a Dataset) -> Option<&'a str> {
        let group = self.recipe().group_column;
        let is_id = |name: &str| {
            self.id_columns.iter().any(|id| id == name) || group.as_deref() != Some(name)
        };
        data.identifiers()
            .iter()
            .map(|identifier| identifier.name.as_str())
            .find(|name| is_id(name))
    }

    /// The name and the checksum of the source as it is now; none of a built-in problem.
    pub fn checksum(&self) -> Result<Option<(String, String)>, Failure> {
        let path = self.details.path_of(&self.source());
        let labels = self.details.label_table();
        let of = |path: PathBuf| -> Result<(String, String), Failure> {
            Ok((path.display().to_string(), checksum_with(&path, labels)?))
        };
        path.map(of).transpose()
    }

    /// The other files that are read, each with the option that names it; the checksum of the source is also
    /// that of its table of labels.
    pub fn named_files(&self) -> Vec<(&'static str, &Path)> {
        let files = [
            ("rules", &self.rules),
            ("label-array", &self.details.label_array),
            ("columns", &self.details.column_names),
        ];
        files.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?))).collect()
    }

    /// What a model trained on the data remembers about this source.
    pub fn memory(&self, data: &Dataset) -> Result<SourceMemory, Failure> {
        let options = self.details.options(&self.id_columns, self.rules.as_deref())?;
        let path = self.details.path_of(&self.source());
        Ok(SourceMemory::new(path.as_deref(), &options, data)?)
    }

    /// The files that are read.
    pub fn files(&self) -> Vec<PathBuf> {
        let path = self.details.path_of(&self.source());
        let mut files = path.map_or(Vec::new(), |path| files_of(&path));
        files.extend(self.rules.iter().chain(self.details.files()).cloned());
        files
    }

    /// Writes the splits of the source to a folder.
    pub fn split_files(&self, folder: &Path) -> Result<Dataset, Failure> {
        if self.details.splitting.recipe().is_none() {
            let message = "say how to split: --test-share, --valid-share or --split-column";
            return Err(Failure::Usage(message.to_owned()));
        }
        let source = match self.source() {
            DataSource::Other(source) => source,
            DataSource::Catalogue(entry) => {
                Source::Path(entry.folder(self.details.data_dir.as_deref())?)
            }
        };
        let options = self.details.options(&self.id_columns, self.rules.as_deref())?;
        let data = split_files(&source, &options, folder)?;
        print_notes(data.notes());
        Ok(data)
    }

    /// The arguments as words of a command line that reads the same data.
    pub fn words(&self) -> Vec<String> {
        let details = &self.details;
        let path = |path: &PathBuf| path.display().to_string();
        let arrangement = details.arrangement.map(|arrangement| match arrangement {
            Arrangement::Inside => "inside".to_owned(),
            Arrangement::Apart => "apart".to_owned(),
            Arrangement::Partly => "partly".to_owned(),
        });
        let data_seed = details.data_seed.map(|seed| seed.to_string());
        let unknown = Some(self.unknown_labels).filter(|&asked| asked != UnknownLabels::default());
        let unknown = unknown.map(|asked| asked.to_string());
        let rules_as = Some(self.rules_as).filter(|&asked| asked != RulesAs::Rules);
        let rules_as = rules_as.map(|asked| asked.to_string());
        let limit = Some(self.settle_limit).filter(|&limit| limit != SettleLimit::DEFAULT);
        let once = [
            ("data-dir", details.data_dir.as_ref().map(path)),
            ("label-columns", details.label_columns.clone()),
            ("label-column", details.label_column.clone()),
            ("label-array", details.label_array.as_ref().map(path)),
            ("columns", details.column_names.as_ref().map(path)),
            ("rules", self.rules.as_ref().map(path)),
            ("unknown-labels", unknown),
            ("rules-as", rules_as),
            ("settle-limit", limit.map(|limit| limit.to_string())),
            ("index-base", details.index_base.clone()),
            ("step", details.step.map(|step| step.to_string())),
            ("arrangement", arrangement),
            ("data-seed", data_seed),
        ];
        let once = once.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let identifiers = self.id_columns.iter().map(|name| ("id-column", name.clone()));
        let options = once.chain(identifiers).chain(details.columns.words());
        let options = options.chain(details.splitting.words());
        let options = options.flat_map(|(name, value)| [format!("--{name}"), value]);
        std::iter::once(self.source.clone()).chain(options).collect()
    }
}

/// The source that a text names.
pub fn source(text: &str) -> DataSource {
    match text.parse() {
        Ok(source) => source,
        Err::<_, Infallible>(never) => match never {},
    }
}

impl SourceDetails {
    /// Reads a source with options that are complete.
    pub(super) fn read_with(
        &self,
        source: &DataSource,
        options: &ReadOptions,
    ) -> Result<Dataset, Failure> {
        let moved = self.step.is_some() || self.arrangement.is_some();
        if moved && !has_steps(source) {
            let message = format!(
                "--step and --arrangement apply to rectangles and three-classes, not to {source}"
            );
            return Err(Failure::Usage(message));
        }
        let start = Instant::now();
        let bar = screen::reading_bar();
        let data = source.read(options, self.data_dir.as_deref());
        bar.finish_and_clear();
        let data = data?;
        screen::detail(|| {
            format!(
                "read {}: {}, {}, {}, {} in {:.2} s",
                data.name(),
                count(data.rows(), "row"),
                count(data.columns().len(), "column"),
                count(data.classes().len(), "class"),
                count(data.program().rules().len(), "rule"),
                start.elapsed().as_secs_f64(),
            )
        });
        print_notes(data.notes());
        let is_hidden = options.unknown_labels.hides();
        let hidden = if is_hidden { data.unknown_labels().len() } else { 0 };
        if let Some(note) = hidden_note(hidden, "the data") {
            screen::note(note);
        }
        Ok(data)
    }

    /// Refuses options that say how data to learn from is read, where rows are only read for a model: it knows its
    /// columns.
    pub fn expect_none_for_rows(&self) -> Result<(), Failure> {
        let labels = [
            ("label-columns", self.label_columns.is_some()),
            ("label-column", self.label_column.is_some()),
            ("label-array", self.label_array.is_some()),
        ];
        let labels = labels.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name);
        let columns = self.columns.words().map(|(name, _)| name);
        let splits = self.splitting.words().map(|(name, _)| name);
        let given = labels.chain(columns).chain(splits).next();
        given.map_or(Ok(()), |name| {
            Err(Failure::Usage(format!(
                "--{name} says how data to learn from is read; here the columns are those of the model, found by \
                 their names"
            )))
        })
    }

    /// Reads a source of which only features are used: a table need not say which columns are labels.
    pub fn read_features(
        &self,
        source: &DataSource,
        identifiers: &[String],
    ) -> Result<Dataset, Failure> {
        let mut options = self.options(identifiers, None)?;
        let is_table = |path: PathBuf| FileFormat::from_path(&path).is_ok_and(FileFormat::is_table);
        if options.labels.is_none() && self.path_of(source).is_some_and(is_table) {
            options.labels = Some(LabelColumns::None);
        }
        self.read_with(source, &options)
    }

    /// The files beside the source that were given.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let tables = self.columns.label_table.iter().chain(&self.label_array);
        tables.chain(&self.column_names)
    }

    /// The table of labels, if it was given.
    pub(super) fn label_table(&self) -> Option<&Path> {
        self.columns.label_table.as_deref()
    }

    /// The folder of the paper's data sets, if it was given.
    pub(super) fn data_dir(&self) -> Option<&Path> {
        self.data_dir.as_deref()
    }

    /// The names of the columns of an array, if they were given.
    pub fn column_names(&self) -> Result<Option<Vec<String>>, Failure> {
        let names = self.column_names.as_deref().map(read_labels).transpose()?;
        Ok(names.map(|names| names.names().map(str::to_owned).collect()))
    }

    /// The bytes that may be used, if they were given.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory_limit.map(|size| size.0)
    }

    /// The number of the first feature of svmlight files.
    pub fn index_base(&self) -> IndexBase {
        match self.index_base.as_deref() {
            Some("0") => IndexBase::Zero,
            Some(_) => IndexBase::One,
            None => IndexBase::Detect,
        }
    }

    pub(super) fn options(
        &self,
        identifiers: &[String],
        rules: Option<&Path>,
    ) -> Result<ReadOptions, Failure> {
        let step = match (self.step, self.arrangement) {
            (Some(step), _) => Step::new(step)?,
            (None, Some(Arrangement::Inside)) => Step::INSIDE,
            (None, Some(Arrangement::Apart)) => Step::OUTSIDE,
            (None, Some(Arrangement::Partly) | None) => Step::HALFWAY,
        };
        let joined = self.label_column.clone().map(LabelColumns::Joined);
        Ok(ReadOptions {
            classes: None,
            unknown_labels: UnknownLabels::default(),
            rules_as: RulesAs::default(),
            settle_limit: SettleLimit::default(),
            weight_column: None,
            labels: joined.or_else(|| self.label_columns.as_deref().map(label_columns)),
            label_array: self.label_array.clone(),
            column_names: self.column_names()?,
            identifiers: identifiers.to_vec(),
            nominal: self.columns.nominal.clone(),
            numeric: self.columns.numeric.clone(),
            ignored: self.columns.ignored.clone(),
            remembered: ColumnChoice::default(),
            label_table: self.columns.label_table.clone(),
            drop_unlabelled: self.columns.unlabelled.as_deref() == Some("drop"),
            min_count: self.columns.min_count.unwrap_or(0),
            label_policy: None,
            only_classes: None,
            rules: rules.map(Path::to_path_buf),
            splitting: self.splitting.recipe(),
            index_base: self.index_base(),
            memory_limit: self.memory_limit(),
            storage: Storage::Memory,
            step,
            seed: self.data_seed.unwrap_or(0),
        })
    }
}

/// Whether a source has steps and arrangements.
fn has_steps(source: &DataSource) -> bool {
    matches!(source, DataSource::Other(Source::Builtin(problem)) if problem.has_steps())
}

/// The rows of a split, or an error that says which splits there are.
pub fn rows_of(data: &Dataset, name: &str) -> Result<Range<usize>, Failure> {
    let Ok(split) = name.parse::<Split>() else {
        return Ok(0..data.rows());
    };
    data.split(split).ok_or_else(|| {
        let have: Vec<&str> = data.splits().map(|(split, _)| split.name()).collect();
        let message = format!("{} has no {split} rows", data.name());
        let hint = format!("it has {}; --split all uses all rows", have.join(", "));
        Diagnostic::plain("no-split", message).with_hint(hint).into()
    })
}

/// What `--label-columns` names.
fn label_columns(text: &str) -> LabelColumns {
    text.parse().unwrap_or_else(|never: Infallible| match never {})
}
