//! Sources of data by name: a built-in problem, a data set of the catalogue, or a path.
//!
//! Names take precedence over paths; `./yeast` is a folder with that name.

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rulebound::dataset::{Dataset, DatasetError, ReadOptions, Source};

use crate::catalogue::CatalogueEntry;
use crate::data_folder::DataFolder;

/// Where data comes from.
///
/// ```
/// use rulebound_reproduction::DataSource;
/// let source: DataSource = "yeast".parse()?;
/// assert!(matches!(source, DataSource::Catalogue(entry) if entry.name == "yeast"));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum DataSource {
    /// A data set of the paper.
    Catalogue(&'static CatalogueEntry),
    /// A built-in problem, or a file or folder.
    Other(Source),
}

/// Why a source cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "its fields say what they are")]
pub enum SourceError {
    /// A data set of the paper is not on this machine.
    #[error("the data set {} is not at {}", .entry.name, .folder.display())]
    Absent { entry: &'static CatalogueEntry, folder: PathBuf },
    /// It exists, but cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

impl FromStr for DataSource {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let source: Source = text.parse()?;
        Ok(match (&source, CatalogueEntry::find(text)) {
            (Source::Path(_), Some(entry)) => Self::Catalogue(entry),
            _ => Self::Other(source),
        })
    }
}

impl fmt::Display for DataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalogue(entry) => f.write_str(entry.name),
            Self::Other(source) => write!(f, "{source}"),
        }
    }
}

impl DataSource {
    /// Reads the data; `data_dir` as in [`DataFolder::resolve`].
    ///
    /// # Errors
    /// If it is absent, cannot be read, or has mistakes.
    pub fn read(
        &self,
        options: &ReadOptions,
        data_dir: Option<&Path>,
    ) -> Result<Dataset, SourceError> {
        match self {
            Self::Catalogue(entry) => entry.read(options, data_dir),
            Self::Other(source) => Ok(source.read(options)?),
        }
    }
}

impl CatalogueEntry {
    /// The folder of the data set, if it exists; `data_dir` as in [`DataFolder::resolve`].
    ///
    /// # Errors
    /// [`SourceError::Absent`] with the expected folder.
    pub fn folder(&'static self, data_dir: Option<&Path>) -> Result<PathBuf, SourceError> {
        let folder = self.expected_folder(&DataFolder::resolve(data_dir));
        if folder.is_dir() {
            return Ok(folder);
        }
        Err(SourceError::Absent { entry: self, folder })
    }

    /// Where the data set belongs.
    pub fn expected_folder(&self, data: &DataFolder) -> PathBuf {
        data.path().join(self.collection.folder()).join(self.name)
    }

    /// Reads the data set as published; rules are added to its own, classes may be listed, and rows
    /// may be split further.
    fn read(
        &'static self,
        options: &ReadOptions,
        data_dir: Option<&Path>,
    ) -> Result<Dataset, SourceError> {
        let source = Source::Path(self.folder(data_dir)?);
        let (rules, classes) = (options.rules.clone(), options.classes.clone());
        let (unknown_labels, rules_as) = (options.unknown_labels, options.rules_as);
        let splitting = options.splitting.clone();
        let options = ReadOptions {
            rules,
            classes,
            unknown_labels,
            rules_as,
            splitting,
            ..ReadOptions::default()
        };
        // As the paper's: dense and centred, whatever their size.
        Ok(source.read(&options)?.stored_sparse(false))
    }
}
