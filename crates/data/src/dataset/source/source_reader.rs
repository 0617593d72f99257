//! A source with its options: the front door of reading data.

use std::path::PathBuf;

use rulebound_core::Labels;

use super::{ReadOptions, Source};
use crate::dataset::error::DatasetError;
use crate::dataset::labels::columns::LabelColumns;
use crate::dataset::set::Dataset;
use crate::dataset::splitting::SplitRecipe;
use crate::label_policy::LabelPolicy;
use rulebound_io::storage::Storage;

/// A file or folder to read, with what it cannot tell by itself; see [`Source::open`].
#[derive(Clone, Debug)]
pub struct SourceReader {
    source: Source,
    options: ReadOptions,
}

impl Source {
    /// A file or folder of data. What to read is said step by step, then [`SourceReader::read`] does.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let (table, rules) = (folder.path().join("pets.csv"), folder.path().join("pets.rules"));
    /// std::fs::write(&table, "weight,cat,animal\n4,1,1\n60,0,0\n")?;
    /// std::fs::write(&rules, "cat -> animal\n")?;
    /// let data = rulebound_data::dataset::Source::open(&table).labels("cat,animal").rules(&rules).read()?;
    /// assert_eq!((data.rows(), data.classes().len(), data.program().rules().len()), (2, 2, 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn open(path: impl Into<PathBuf>) -> SourceReader {
        SourceReader { source: Self::Path(path.into()), options: ReadOptions::default() }
    }
}

impl SourceReader {
    /// The label columns of a table: `"a,b,c"`, a prefix `"GO:*"`, or how many at the end (`"14"`).
    #[must_use]
    pub fn labels(self, columns: &str) -> Self {
        let columns =
            columns.parse().unwrap_or_else(|never: std::convert::Infallible| match never {});
        self.label_columns(columns)
    }

    /// The label columns of a table.
    #[must_use]
    pub fn label_columns(mut self, columns: LabelColumns) -> Self {
        self.options.labels = Some(columns);
        self
    }

    /// The classes and their order [default: those of the data].
    #[must_use]
    pub fn classes(mut self, classes: Labels) -> Self {
        self.options.classes = Some(classes);
        self
    }

    /// A file of rules in any format, or an OBO ontology; added to the rules that the data brings.
    #[must_use]
    pub fn rules(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.rules = Some(path.into());
        self
    }

    /// What to do with rows whose labels break a rule [default: labels that are written by their names are completed,
    /// others kept].
    #[must_use]
    pub fn label_policy(mut self, policy: LabelPolicy) -> Self {
        self.options.label_policy = Some(policy);
        self
    }

    /// A column that identifies rows and is not a feature.
    #[must_use]
    pub fn id_column(mut self, name: impl Into<String>) -> Self {
        self.options.identifiers.push(name.into());
        self
    }

    /// A numeric column to treat as categorical.
    #[must_use]
    pub fn nominal(mut self, name: impl Into<String>) -> Self {
        self.options.nominal.push(name.into());
        self
    }

    /// A column to read as numbers, whatever it holds.
    #[must_use]
    pub fn numeric(mut self, name: impl Into<String>) -> Self {
        self.options.numeric.push(name.into());
        self
    }

    /// A column to leave out; a name that ends in `*` is a prefix.
    #[must_use]
    pub fn ignore(mut self, name: impl Into<String>) -> Self {
        self.options.ignored.push(name.into());
        self
    }

    /// The column with the weight of each row in the loss, which is not a feature.
    #[must_use]
    pub fn weight_column(mut self, name: impl Into<String>) -> Self {
        self.options.weight_column = Some(name.into());
        self
    }

    /// Keeps the features in temporary files in this folder instead of in memory, for data that is larger; see
    /// [`storage`](rulebound_io::storage).
    #[must_use]
    pub fn on_disk(mut self, folder: impl Into<PathBuf>) -> Self {
        self.options.storage = Storage::Disk(folder.into());
        self
    }

    /// How to split the rows [default: as the source does].
    #[must_use]
    pub fn split(mut self, recipe: SplitRecipe) -> Self {
        self.options.splitting = recipe;
        self
    }

    /// Reads the data.
    ///
    /// # Errors
    /// When it cannot be read, or is wrong: all mistakes with their places; see [`DatasetError`].
    pub fn read(&self) -> Result<Dataset, DatasetError> {
        self.source.read(&self.options)
    }
}
