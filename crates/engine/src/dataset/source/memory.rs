//! What a model remembers about the source it was trained on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{ReadOptions, checksum as checksum_of};
use crate::dataset::column_choice::ColumnChoice;
use crate::dataset::labels::columns::LabelColumns;
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
    /// The label columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelColumns>,
    /// What was said about other columns.
    #[serde(default, skip_serializing_if = "ColumnChoice::is_empty")]
    pub columns: ColumnChoice,
    /// The number of the first feature of svmlight files.
    #[serde(default)]
    pub index_base: IndexBase,
    /// How the rows were split.
    #[serde(default)]
    pub split: SplitRecipe,
    /// Whether rows without labels were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drop_unlabelled: bool,
    /// The rule file that was given, where it says what labels imply that are written by their names.
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
    /// The file, if it is there and unchanged.
    fn unchanged(&self) -> Option<PathBuf> {
        let found = checksum_of(&self.path).ok()?;
        (found == self.checksum).then(|| self.path.clone())
    }
}

impl SourceMemory {
    /// What to remember about data that was read with these options.
    pub fn new(checksum: Option<String>, options: &ReadOptions, data: &Dataset) -> Self {
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
        let rules = options.rules.as_ref().filter(|_| options.labels_by_name()).and_then(|path| {
            Some(RulesMemory { path: path.clone(), checksum: checksum_of(path).ok()? })
        });
        let drop_unlabelled = options.drop_unlabelled;
        Self { checksum, labels, columns, index_base, split, drop_unlabelled, rules }
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
