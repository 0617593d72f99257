//! Diagnostics of data sets.

use super::Failure;
use crate::diagnostic::{Cause, Diagnostic, Place};
use crate::unusual;
use rulebound::dataset::{Builtin, DatasetError, NotADataset};
use rulebound::storage::StorageError;
use rulebound_core::Labels;
use rulebound_io::input::InputError;
use rulebound_io::output::OutputError;
use rulebound_reproduction::{CATALOGUE, SourceError};
use serde_json::json;

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        let error = match error {
            DatasetError::Output(error @ OutputError::Exists { .. }) => return error.into(),
            other => other,
        };
        match &error {
            DatasetError::Broken { path, mistakes } => {
                let file = path.display().to_string();
                let mut diagnostics: Vec<Diagnostic> = mistakes
                    .kept()
                    .iter()
                    .map(|mistake| Diagnostic {
                        details: vec![
                            ("file", json!(file)),
                            ("line", json!(mistake.line)),
                            ("column", json!(mistake.column)),
                            ("text", json!(mistake.text)),
                        ],
                        ..Diagnostic::plain("data", format!("{file}:{mistake}"))
                    })
                    .collect();
                let more = mistakes.more();
                if more > 0 {
                    let message = format!("{file}: {} more errors", crate::text::thousands(more));
                    diagnostics.push(Diagnostic::plain("data", message));
                }
                Self::Input(diagnostics)
            }
            DatasetError::Rules { path, text, source } => {
                let file = path.display().to_string();
                let lines: Vec<&str> = text.lines().collect();
                let draw = |error: &rulebound_core::RuleError| Diagnostic {
                    code: error.code(),
                    message: error.to_string(),
                    places: vec![Place::new(&file, &lines, error.span(), "")],
                    hint: error.hint(),
                    ..Diagnostic::default()
                };
                Self::Input(source.0.iter().map(draw).collect())
            }
            DatasetError::OutOfRange { found, .. } => Diagnostic {
                cause: Cause::Limit,
                details: vec![("out_of_range", unusual::out_of_range(found))],
                ..Diagnostic::plain("out-of-range", error.to_string())
            }
            .with_hint("other units, another sensor, or rows that the model knows nothing of; nothing was written")
            .into(),
            _ => {
                let diagnostic = Diagnostic::from_error("data", &error);
                match hint(&error) {
                    Some(hint) => diagnostic.with_hint(hint).into(),
                    None => diagnostic.into(),
                }
            }
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Dataset(error) => error.into(),
            error => Diagnostic::from_error("data", &error)
                .with_hint(
                    "set --data-dir or RULEBOUND_DATA to the folder of the data sets; `rulebound data list` \
                     shows where they were published and which files go where",
                )
                .into(),
        }
    }
}

fn hint(error: &DatasetError) -> Option<String> {
    Some(match error {
        DatasetError::NoLabels { .. } | DatasetError::NoLabelColumn { .. } => {
            "name the label columns: --label-columns a,b,c or 'prefix*' or the number of last columns, \
             --label-column for one column with labels separated by `|`, or --label-table for a file of \
             ids and labels"
                .to_owned()
        }
        DatasetError::IncompleteLabels { .. } => {
            "--label-policy complete adds the labels that the rules imply, --label-policy keep leaves them as they are"
                .to_owned()
        }
        DatasetError::BrokenRequirement { .. } => {
            "--label-policy keep leaves labels as they are".to_owned()
        }
        DatasetError::NoIdToJoin { .. } => "name it with --id-column".to_owned(),
        DatasetError::RareClassInRules { .. } => {
            "--min-count 0 keeps all classes".to_owned()
        }
        DatasetError::NoTermKnown { .. } => {
            "is this the ontology of these labels, and do names have its prefix?".to_owned()
        }
        DatasetError::NotTerms { .. } => {
            "the ontology may be of another release than the labels; --unknown-labels keep takes such labels as \
             classes without rules"
                .to_owned()
        }
        DatasetError::NothingJoined { .. } => {
            "--id-column names the column that has the ids of the table; both must be written alike".to_owned()
        }
        DatasetError::NoFrequentClass { .. } => {
            "a smaller --min-count keeps more classes; --rules say what labels imply, before they are counted".to_owned()
        }
        DatasetError::NoClassInCommon { .. } => {
            "--rules FILE with the ontology says what labels imply; labels are called as in training".to_owned()
        }
        DatasetError::NoLabelArray { .. } => {
            "--label-array y.npy names it; a .npz has the features as X and the labels as y".to_owned()
        }
        DatasetError::Memory { .. }
        | DatasetError::OutOfMemory { .. }
        | DatasetError::Storage(StorageError::Memory { .. }) => {
            "`train --stream` keeps rows on disk; --memory-limit sets another limit; data with few values other than 0 takes little memory as svmlight or sparse ARFF"
                .to_owned()
        }
        DatasetError::Storage(_) => {
            "--stream-folder DIR names a folder on a disk with room for the rows".to_owned()
        }
        DatasetError::NotRows { path } => {
            let name = path.display();
            format!(
                "`rulebound check {name}` says what it holds, `rulebound data rules` writes its rules, and \
                 `--rules {name}` uses them"
            )
        }
        DatasetError::NotADataset { reason: NotADataset::NoFile, .. } | DatasetError::UnknownFormat { .. } => {
            "supported formats: .arff, .svm, .svmlight, .libsvm, .csv, .tsv, .tab, .parquet, .npy and .npz, optionally gzipped (.gz)".to_owned()
        }
        DatasetError::Input(InputError::Open { path, .. }) => {
            let name = path.to_string_lossy();
            let known = CATALOGUE.iter().map(|entry| entry.name);
            let known = known.chain(Builtin::ALL.iter().map(|problem| problem.name()));
            match Labels::new(known).ok()?.nearest(&name) {
                Some(nearest) => format!("did you mean `{nearest}`? (rulebound data list)"),
                None => "a source is a name from `rulebound data list`, or a path".to_owned(),
            }
        }
        _ => return None,
    })
}
