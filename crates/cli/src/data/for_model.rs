//! A source read for a model that was trained before: what the model remembers need not be said again.

use super::source::{SourceDetails, rows_of, source};
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::text::thousands;
use rulebound::configuration::LabelPolicy;
use rulebound::dataset::{
    Dataset, FileFormat, LabelColumns, Source, SplitRecipe, checksum_with, source_files,
};
use rulebound::model::Model;
use rulebound_core::Labels;
use rulebound_reproduction::DataSource;
use serde::Serialize;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What is asked of a source that is read for models.
#[derive(Default)]
pub struct ModelRequest<'a> {
    /// Columns that identify rows.
    pub identifiers: &'a [String],
    /// The split to use; without one the test rows, or all rows of a source that has no splits.
    pub split: Option<&'a str>,
    /// What labels imply that are written by their names; without it the rules of training.
    pub rules: Option<&'a Path>,
    /// What to do with labels that break rules, if it was asked for.
    pub label_policy: Option<LabelPolicy>,
    /// Whether only the features of the rows are used.
    pub is_unlabelled: bool,
}

/// A source, and the rows to use.
pub struct ForModel {
    pub data: Dataset,
    pub rows: Range<usize>,
    pub used: RowsUsed,
    asked: Option<LabelPolicy>,
    labels_by_name: bool,
}

impl ForModel {
    /// What to do with labels that break rules, for one of the models.
    pub fn policy(&self, model: &Model) -> LabelPolicy {
        model.label_policy(self.asked, self.labels_by_name)
    }
}

/// Which rows of which source are used.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RowsUsed {
    /// `train`, `valid`, `test` or `all`.
    pub split: String,
    /// How the model remembers that its source was split, if that is how these rows were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered_split: Option<SplitRecipe>,
    /// Whether this is the source that the model was trained on, unchanged; null if the model does not
    /// remember.
    pub is_training_source: Option<bool>,
    /// How many of the rows the model was trained on or validated with; null if that is not known.
    pub rows_seen_in_training: Option<usize>,
    /// Whether the source has the name of the training data, but other contents.
    pub has_changed: bool,
}

impl RowsUsed {
    /// What these rows, which were chosen for `first`, are to another model.
    pub fn to(&self, other: &Model, first: &Model) -> Self {
        let checksum = |model: &Model| model.source().and_then(|memory| memory.checksum.clone());
        let (own, firsts) = (checksum(other), checksum(first));
        let is_same = self.is_training_source == Some(true) && own == firsts;
        let splits = [other, first].map(|model| model.source().map(|memory| &memory.split));
        Self {
            is_training_source: own.map(|_| is_same),
            rows_seen_in_training: self
                .rows_seen_in_training
                .filter(|_| is_same && splits[0] == splits[1]),
            has_changed: false,
            ..self.clone()
        }
    }

    /// Whether the model may have been trained on some of the rows, and it is not known on how many.
    pub fn may_be_seen(&self) -> bool {
        self.is_training_source == Some(true) && self.rows_seen_in_training.is_none()
    }

    /// What a reader of the result must know, one line each; empty if there is nothing to say.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(recipe) = &self.remembered_split {
            lines.push(format!(
                "the {} rows of the split that the model remembers ({})",
                self.split,
                describe(recipe)
            ));
        } else if self.split == "all" {
            lines.push("all rows of the source".to_owned());
        }
        if self.has_changed {
            lines.push(
                "warning: the source has changed since the model was trained on it; some of these rows may \
                 have been used in training"
                    .to_owned(),
            );
        }
        if self.may_be_seen() {
            lines.push(
                "warning: the model was trained on this source with another split; some of these rows may \
                 have been used in training"
                    .to_owned(),
            );
        }
        if let Some(rows) = self.rows_seen_in_training.filter(|rows| *rows > 0) {
            let rows = thousands(rows as u64);
            lines.push(format!(
                "warning: {rows} of these rows were used in training; results on new data will be worse"
            ));
        }
        lines
    }
}

/// A recipe in words.
pub fn describe(recipe: &SplitRecipe) -> String {
    let share = |share: f64, what: &str| format!("{} % {what}", 100.0 * share);
    let mut words: Vec<String> = Vec::new();
    words.extend(recipe.split_column.iter().map(|column| format!("column `{column}`")));
    words.extend(recipe.test_share.map(|p| share(p, "test")));
    words.extend(recipe.valid_share.map(|p| share(p, "validation")));
    words.extend(recipe.group_column.iter().map(|column| format!("whole groups of `{column}`")));
    words.push(format!("seed {}", recipe.seed));
    words.join(", ")
}

/// Whether a source is a table, or a folder of tables.
fn is_table(path: &Path) -> bool {
    let is_table = |path: &Path| FileFormat::from_path(path).is_ok_and(FileFormat::is_table);
    match path.is_dir() {
        false => is_table(path),
        true => source_files(path).is_ok_and(|files| files.iter().any(|file| is_table(file))),
    }
}

/// The failure for a model whose labels were in a table of their own, and rows without it.
fn without_label_table(source: &str, is_unlabelled: bool) -> Failure {
    let (message, hint) = match is_unlabelled {
        false => (
            "the labels that the model was trained on were in a table of their own",
            "give the labels of these rows with --label-table FILE, or with --label-columns if each class has a column",
        ),
        true => (
            "these splits were drawn by the labels, which were in a table of their own",
            "--label-table FILE finds the same rows again; without --split all rows are used, and --stratify off \
             or --split-column split without labels",
        ),
    };
    Diagnostic::plain("no-labels", format!("{source}: {message}")).with_hint(hint).into()
}

impl SourceDetails {
    /// Reads a source for models, of which the first says what it remembers.
    pub fn read_for_models(
        &self,
        text: &str,
        request: &ModelRequest<'_>,
        models: &[&Model],
    ) -> Result<ForModel, Failure> {
        let ModelRequest { identifiers, split, rules, label_policy, is_unlabelled } = *request;
        let [model, others @ ..] = models else {
            return Err(Failure::Usage("a model is needed".to_owned()));
        };
        let source = source(text);
        let path = self.path_of(&source);
        let memory = model.source();
        let labels = self.label_table();
        let was_in_table = memory.is_some_and(|memory| memory.rows_checksum.is_some());
        let known = memory.and_then(|memory| match labels {
            // Features without the labels of training are the same rows.
            None if is_unlabelled && was_in_table => memory.rows_checksum.as_deref(),
            _ => memory.checksum.as_deref(),
        });
        let is_training_source = known.map(|known| {
            let found = path.as_ref().and_then(|path| checksum_with(path, labels).ok());
            found.is_some_and(|found| found == known)
        });
        let is_same = is_training_source == Some(true);
        let mut remembered_split = None;
        let mut options = self.options(identifiers, rules)?;
        if options.splitting.is_none() && options.splitting != SplitRecipe::default() {
            let message = "--split-seed, --stratify and --group-column say how to split; give --test-share or \
                           --valid-share as well";
            return Err(Failure::Usage(message.to_owned()));
        }
        if let Some(memory) = memory {
            memory.fill(&mut options);
            if is_same && options.splitting == SplitRecipe::default() && !memory.split.is_none() {
                options.splitting = memory.split.clone();
                remembered_split = Some(memory.split.clone());
            }
        }
        let (splitting, drops) = (&options.splitting, options.drop_unlabelled);
        let is_split_by_labels = splitting.draws() && (splitting.stratify || drops);
        if labels.is_none() && path.as_deref().is_some_and(is_table) {
            if is_unlabelled && !is_split_by_labels {
                options.labels = Some(LabelColumns::None);
            } else if options.labels.is_none() && was_in_table {
                return Err(without_label_table(text, is_unlabelled));
            } else if options.labels.is_none() {
                let names = model.labels().names().map(str::to_owned).collect();
                options.labels = Some(LabelColumns::Named(names));
            }
        }
        let labels_by_name = options.labels_by_name();
        options.label_policy = Some(model.label_policy(label_policy, labels_by_name));
        let mut names: Vec<&str> = model.labels().names().collect();
        for other in others {
            names.extend(other.labels().names().filter(|name| model.labels().find(name).is_none()));
        }
        let place = |name: &str| model.labels().find(name).map_or(usize::MAX, |id| id.index());
        names.sort_unstable_by_key(|name| (place(name), *name));
        names.dedup();
        options.only_classes = Labels::new(names).ok();
        if rules.is_some() && !labels_by_name {
            let message = "--rules with --model says what labels imply that are written by their names \
                           (--label-table, --label-column); here each class has its column";
            return Err(Failure::Usage(message.to_owned()));
        }
        // An array has no names of classes; those of the model are in the order of its columns.
        let is_array = |path: &PathBuf| rulebound_io::array::is_array(path);
        if options.classes.is_none() && path.as_ref().is_some_and(is_array) {
            options.classes = Some(model.labels().clone());
        }
        let is_own_split = memory.is_some_and(|memory| options.splitting == memory.split);
        let data = self.read_with(&source, &options)?;
        let has_splits = data.splits().any(|(split, _)| split.name() != "train");
        let split = split.unwrap_or(if has_splits { "test" } else { "all" });
        let rows = rows_of(&data, split)?;
        let seen = |rows: &Range<usize>| {
            let test = data.split(rulebound::dataset::Split::Test).map_or(data.rows(), |t| t.start);
            rows.end.min(test).saturating_sub(rows.start)
        };
        let used = RowsUsed {
            split: split.to_owned(),
            remembered_split: remembered_split.filter(|_| split != "all"),
            is_training_source,
            rows_seen_in_training: (is_same && is_own_split).then(|| seen(&rows)),
            has_changed: is_training_source == Some(false) && data.name() == model.training().data,
        };
        Ok(ForModel { data, rows, used, asked: label_policy, labels_by_name })
    }

    /// The file or folder of a source; none for a built-in problem.
    pub fn path_of(&self, source: &DataSource) -> Option<PathBuf> {
        match source {
            DataSource::Catalogue(entry) => entry.folder(self.data_dir()).ok(),
            DataSource::Other(Source::Path(path)) => Some(path.clone()),
            DataSource::Other(Source::Builtin(_)) => None,
        }
    }
}
