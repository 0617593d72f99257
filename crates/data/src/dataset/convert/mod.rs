//! Converts a data set to neutral files, and reads them back.
//!
//! | file | what |
//! |---|---|
//! | `train.*`, `valid.*`, `test.*` | one file per split: identifiers, features, labels |
//! | `rules.txt` | the rules, in the dialect `rules` |
//! | `labels.txt` (`labels.xml` for MULAN) | the labels in order, one per line |
//! | `dataset.json` | kinds and values of columns, which labels are evaluated, the format |
//!
//! Reading the folder gives an equal data set. `dataset.json` is written last and removed first, so
//! that an incomplete folder is not taken for a complete one.

mod csv;
mod descriptor;
mod mulan;
#[cfg(feature = "parquet")]
mod parquet;

use std::io::Write;
use std::path::Path;

use rulebound_core::{Dialect, Labels, Program, RulesAs, SettleLimit};
use serde::{Deserialize, Serialize};

use self::descriptor::Descriptor;
use super::arff;
use super::complaint::{Mistakes, Problem};
use super::error::DatasetError;
use super::file_rows::Known;
use super::rules_file::RulesFile;
use super::set::Dataset;
use super::source::FileFormat;
use super::split::{Split, SplitFile};
use super::table;
use crate::unknown_labels::UnknownLabels;
use rulebound_io::output::{Existing, OutputError, OutputFile};
use rulebound_io::storage::Storage;
#[cfg(not(feature = "parquet"))]
use rulebound_io::table::TableError;

/// The name of the descriptor.
pub(super) const DESCRIPTOR: &str = "dataset.json";

const RULES: &str = "rules.txt";

rulebound_core::named_enum! {
    /// What a data set can be converted to.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ConvertFormat: "an output format" {
        /// Parquet.
        Parquet = "parquet",
        /// CSV.
        Csv = "csv",
        /// ARFF with an XML list of the labels, as MULAN reads it.
        Mulan = "mulan",
    }
}

impl ConvertFormat {
    const fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Mulan => "arff",
        }
    }

    const fn label_list(self) -> &'static str {
        match self {
            Self::Parquet | Self::Csv => "labels.txt",
            Self::Mulan => "labels.xml",
        }
    }

    /// The names of the files that [`convert`] writes, of all splits that a data set can have.
    pub fn file_names(self) -> Vec<String> {
        let split = |split| format!("{split}.{}", self.extension());
        let others = [RULES, self.label_list(), DESCRIPTOR].map(String::from);
        [Split::Train, Split::Valid, Split::Test].map(split).into_iter().chain(others).collect()
    }
}

/// Writes `data` to `folder`, which is created if it does not exist; see the table of files above.
///
/// ```
/// use rulebound_data::dataset::{Builtin, ConvertFormat, ReadOptions, Source, Step, convert};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let data = Builtin::ThreeClasses.generate(Step::HALFWAY, 1)?;
/// convert(&data, ConvertFormat::Csv, folder.path())?;
/// let back = Source::Path(folder.path().into()).read(&ReadOptions::default())?;
/// assert!(back == data);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If a file cannot be written.
pub fn convert(data: &Dataset, format: ConvertFormat, folder: &Path) -> Result<(), DatasetError> {
    convert_as(data, format, folder, Existing::Replace)
}

/// As [`convert`], with a choice of what becomes of files that exist.
///
/// # Errors
/// As [`convert`], and [`OutputError::Exists`], before anything is written.
pub fn convert_as(
    data: &Dataset,
    format: ConvertFormat,
    folder: &Path,
    existing: Existing,
) -> Result<(), DatasetError> {
    let made = std::fs::create_dir_all(folder);
    made.map_err(|source| DatasetError::MakeFolder { path: folder.to_path_buf(), source })?;
    if existing == Existing::Keep {
        let paths = format.file_names().into_iter().map(|name| folder.join(name));
        if let Some(path) = paths.into_iter().find(|path| path.exists()) {
            return Err(OutputError::Exists { path }.into());
        }
    }
    let descriptor_path = folder.join(DESCRIPTOR);
    if descriptor_path.is_file() {
        let path = descriptor_path.clone();
        let removed = std::fs::remove_file(&descriptor_path);
        removed.map_err(|source| OutputError::Write { path, source })?;
    }
    let descriptor = Descriptor::new(data, format);
    let create = |path: &Path| OutputFile::create_as(path, existing);
    for (split, rows) in data.splits() {
        let path = folder.join(format!("{split}.{}", format.extension()));
        match format {
            ConvertFormat::Csv => csv::write(data, rows, &descriptor.missing, create(&path)?)?,
            #[cfg(feature = "parquet")]
            ConvertFormat::Parquet => parquet::write(data, rows, create(&path)?)?,
            #[cfg(not(feature = "parquet"))]
            ConvertFormat::Parquet => return Err(TableError::no_parquet(&path).into()),
            ConvertFormat::Mulan => mulan::write(data, rows, create(&path)?)?,
        }
    }
    write_text(create(&folder.join(RULES))?, |file| write!(file, "{}", data.program().to_text()))?;
    write_text(create(&folder.join(format.label_list()))?, |file| match format {
        ConvertFormat::Mulan => mulan::write_list(data, file),
        ConvertFormat::Csv | ConvertFormat::Parquet => {
            write!(file, "{}", data.classes().to_text())
        }
    })?;
    write_text(create(&descriptor_path)?, |file| {
        serde_json::to_writer_pretty(&mut *file, &descriptor)?;
        writeln!(file)
    })
}

/// Reads a folder that [`convert`] wrote.
pub(super) fn read(folder: &Path, storage: &Storage) -> Result<Dataset, DatasetError> {
    let path = folder.join(DESCRIPTOR);
    let mut descriptor = Descriptor::read(&path)?;
    descriptor.splits.sort();
    descriptor.splits.dedup();
    let file = |&split| SplitFile {
        split,
        path: folder.join(format!("{split}.{}", descriptor.format.extension())),
    };
    let files: Vec<SplitFile> = descriptor.splits.iter().map(file).collect();
    let wrong = |source| DatasetError::Labels { path: path.clone(), source };
    let labels = Labels::new(descriptor.labels.iter().cloned()).map_err(wrong)?;
    let mut evaluated = vec![true; labels.len()];
    let mut mistakes = Mistakes::default();
    for name in &descriptor.not_evaluated {
        match labels.find(name) {
            Some(id) => evaluated[id.index()] = false,
            None => mistakes.push(1, 1, name, Problem::LabelWithoutColumn),
        }
    }
    DatasetError::expect_none(&path, mistakes)?;
    let rules = folder.join(RULES);
    let file = RulesFile::read(&rules, Some(Dialect::Rules), SettleLimit::default())?;
    let before = Program::new(labels.clone(), Vec::new())?;
    let fitted = file.fit(&labels, &before, UnknownLabels::Error, RulesAs::Rules)?;
    let program = fitted.program;
    let name = &descriptor.name;
    let known = Known {
        identifiers: &descriptor.identifiers,
        columns: &descriptor.columns,
        labels: &labels,
        missing: &descriptor.missing,
    };
    let builder = match descriptor.format {
        ConvertFormat::Mulan => {
            return arff::read_fixed(name, &files, known, (program, evaluated), storage);
        }
        ConvertFormat::Csv => table::read_known(name, &files, FileFormat::Csv, known, storage)?,
        ConvertFormat::Parquet => {
            table::read_known(name, &files, FileFormat::Parquet, known, storage)?
        }
    };
    builder.finish_with(program, evaluated)
}

/// Writes a small file, completely or not at all.
fn write_text(
    mut file: OutputFile,
    write: impl FnOnce(&mut OutputFile) -> std::io::Result<()>,
) -> Result<(), DatasetError> {
    if let Err(source) = write(&mut file) {
        return Err(file.failed(source).into());
    }
    Ok(file.commit()?)
}
