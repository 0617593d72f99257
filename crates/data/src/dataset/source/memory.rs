//! What a model remembers about the source it was trained on.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ReadOptions, checksum as checksum_of, checksum_with};
use crate::dataset::column_choice::ColumnChoice;
use crate::dataset::error::DatasetError;
use crate::dataset::labels::columns::LabelColumns;
use crate::dataset::ontology::Ontology;
use crate::dataset::set::Dataset;
use crate::dataset::splitting::SplitRecipe;
use crate::dataset::svmlight::IndexBase;

/// What a model remembers about the source it was trained on: how to read more of the same, and how to
/// find the rows that it has not seen.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SourceMemory {
    /// The [checksum](super::checksum()) of the source; none for a built-in problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The [checksum](super::checksum()) of the source without its table of labels; none if the labels were not in
    /// a table of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_checksum: Option<String>,
    /// The label columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelColumns>,
    /// What was said about other columns.
    #[serde(default, skip_serializing_if = "ColumnChoice::is_empty")]
    pub columns: ColumnChoice,
    /// The number of the first feature of svmlight files.
    pub index_base: IndexBase,
    /// How the rows were split.
    pub split: SplitRecipe,
    /// Whether rows without labels were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drop_unlabelled: bool,
    /// The rule file that was given, where it says what labels imply that are written by their names, or how else
    /// classes may be called: an ontology.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesMemory>,
}

/// What a model remembers about a rule file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RulesMemory {
    /// Where it was.
    pub path: PathBuf,
    /// The [checksum](super::checksum()) of what it was.
    pub checksum: String,
}

impl RulesMemory {
    /// The file, if it is there and unchanged. A model may come from anywhere: whatever is not a plain file, and may have
    /// no end, is not read.
    pub fn unchanged(&self) -> Option<PathBuf> {
        self.path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let found = checksum_of(&self.path).ok()?;
        (found == self.checksum).then(|| self.path.clone())
    }
}

impl SourceMemory {
    /// What to remember about data that was read with these options, from a path unless it was generated.
    ///
    /// # Errors
    /// If a file cannot be read again.
    pub fn new(
        path: Option<&Path>,
        options: &ReadOptions,
        data: &Dataset,
    ) -> Result<Self, DatasetError> {
        let table = options.label_table.as_deref();
        let checksum = path.map(|path| checksum_with(path, table)).transpose()?;
        let rows_checksum = path.filter(|_| table.is_some()).map(checksum_of).transpose()?;
        let labels = options.labels.clone().map(|labels| match labels {
            // Another table may have its columns in another order.
            LabelColumns::Last(_) => {
                LabelColumns::Named(data.classes().names().map(str::to_owned).collect())
            }
            labels => labels,
        });
        let columns = ColumnChoice {
            identifiers: options.identifiers.clone(),
            nominal: options.nominal.clone(),
            numeric: options.numeric.clone(),
            ignored: options.ignored.clone(),
        };
        let (index_base, split) = (options.index_base, options.splitting.clone());
        let is_kept =
            |path: &&PathBuf| options.labels_by_name() || Ontology::is_ontology_file(path);
        let rules = options.rules.as_ref().filter(is_kept).and_then(|path| {
            Some(RulesMemory { path: path.clone(), checksum: checksum_of(path).ok()? })
        });
        let drop_unlabelled = options.drop_unlabelled;
        Ok(Self {
            checksum,
            rows_checksum,
            labels,
            columns,
            index_base,
            split,
            drop_unlabelled,
            rules,
        })
    }

    /// Whether the labels were written by their names.
    pub fn labels_by_name(&self) -> bool {
        self.rows_checksum.is_some() || matches!(self.labels, Some(LabelColumns::Joined(_)))
    }

    /// Fills what the options leave open. The split is that of one source only, so it is not among it. Rules are
    /// filled in where they say what labels imply.
    pub fn fill(&self, options: &mut ReadOptions) {
        if options.labels.is_none() {
            options.labels = self.labels.clone();
        }
        if options.index_base == IndexBase::Detect {
            options.index_base = self.index_base;
        }
        options.remembered = self.columns.clone();
        options.drop_unlabelled |= self.drop_unlabelled;
        if options.rules.is_none() && options.labels_by_name() {
            options.rules = self.rules.as_ref().and_then(RulesMemory::unchanged);
        }
    }
}
