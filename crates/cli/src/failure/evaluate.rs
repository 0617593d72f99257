//! Diagnostics of evaluations.

use super::Failure;
use crate::diagnostic::Diagnostic;
use crate::text::some_names;
use rulebound::blend::BlendError;
use rulebound::cross_validation::CrossValidationError;
use rulebound::evaluate::{EvaluateError, NeededBy};
use rulebound::train::TrainError;
use rulebound_core::metrics::MetricError;
use serde_json::json;

impl From<EvaluateError> for Failure {
    fn from(error: EvaluateError) -> Self {
        let plain = |code, hint: &str| -> Self {
            Diagnostic::plain(code, error.to_string()).with_hint(hint).into()
        };
        match error {
            EvaluateError::Scores(error) => error.into(),
            EvaluateError::Predict(error) => error.into(),
            EvaluateError::TruthOnStandardInput => {
                Self::Usage("--truth cannot be standard input".to_owned())
            }
            EvaluateError::TruthInPipe { .. } => {
                plain("truth-in-pipe", "save it to a file first, or list the classes with --labels")
            }
            EvaluateError::NoColumn { path, classes, needed_by, columns } => {
                let names = some_names(classes.iter().map(String::as_str), classes.len(), 10);
                let message =
                    format!("{}: no column for {names}, required by {needed_by}", path.display());
                let have = some_names(columns.iter().map(String::as_str), columns.len(), 10);
                let reason = match needed_by {
                    NeededBy::Table(_) => {
                        "every column must be a class, unless --id-column names it or --labels \
                         lists the classes"
                    }
                    NeededBy::Rules => "every class of the rules needs scores and ground truth",
                    NeededBy::Labels => "every class of the list needs scores and ground truth",
                };
                Diagnostic {
                    details: vec![("classes", json!(classes))],
                    ..Diagnostic::plain("no-column", message)
                }
                .with_hint(format!("{reason}; the table has {have}"))
                .into()
            }
            EvaluateError::NotBinary { path, cells, total } => {
                let shown = path.display().to_string();
                let mut diagnostics: Vec<Diagnostic> = cells
                    .iter()
                    .map(|cell| Diagnostic {
                        details: vec![
                            ("file", json!(shown)),
                            ("row", json!(cell.row)),
                            ("class", json!(cell.class)),
                            ("id", json!(cell.id)),
                        ],
                        ..Diagnostic::plain("not-binary", format!("{shown}: {cell}"))
                    })
                    .collect();
                let more = total.saturating_sub(cells.len() as u64);
                if more > 0 {
                    let message = format!("{shown}: {more} more cells are neither 0 nor 1");
                    diagnostics.push(Diagnostic::plain("not-binary", message));
                }
                Self::Input(diagnostics)
            }
            EvaluateError::SeenUnknown => plain(
                "seen-unknown",
                "the models it was merged from saw different classes; evaluate each of them for --labels-in-metrics seen",
            ),
            EvaluateError::NoClass { .. } => {
                plain("no-class", "the data must have every class that the model was trained with")
            }
            EvaluateError::Features(_) => plain(
                "no-column",
                "the data must have every feature that the model was trained with",
            ),
            EvaluateError::BrokenTruth(_) => plain(
                "broken-truth",
                "--label-policy complete adds the labels that the rules imply, --label-policy keep \
                 leaves them as they are",
            ),
            EvaluateError::NearColumn { .. } => {
                plain("near-label", "correct the name in one of them")
            }
            EvaluateError::Unmatched { ref source, .. } => {
                plain("unmatched-classes", source.hint())
            }
            EvaluateError::CannotHide { .. } => {
                plain("cannot-hide", "give the class a column in both tables")
            }
            EvaluateError::Layer(_) => {
                plain("not-a-number", "check the features for infinite values")
            }
            EvaluateError::RowCount { .. } => plain(
                "row-count",
                "without --id-column rows are matched by position, so both tables need the same rows",
            ),
            EvaluateError::SameId { .. } => plain("same-id", "an id must identify exactly one row"),
            EvaluateError::NoSuchId { .. } => plain(
                "no-such-id",
                "rows are matched by --id-column, so both tables need the same ids",
            ),
            EvaluateError::NoName { .. } | EvaluateError::NoClasses { .. } => plain(
                "no-class",
                "every column is a class, unless --id-column names it or --labels lists the classes",
            ),
            _ => Diagnostic::plain("evaluate", error.to_string()).into(),
        }
    }
}

impl From<MetricError> for Failure {
    fn from(error: MetricError) -> Self {
        EvaluateError::from(error).into()
    }
}

impl From<CrossValidationError> for Failure {
    fn from(error: CrossValidationError) -> Self {
        match error {
            CrossValidationError::Dataset(error) => error.into(),
            CrossValidationError::Train(error) => error.into(),
            CrossValidationError::Evaluate(error) => error.into(),
            CrossValidationError::Scores(error) => error.into(),
            error => Diagnostic::from_error("train", &error).into(),
        }
    }
}

impl From<BlendError> for Failure {
    fn from(error: BlendError) -> Self {
        let plain =
            |hint: &str| -> Self { Diagnostic::from_error("blend", &error).with_hint(hint).into() };
        match error {
            BlendError::Undefined { .. } => plain("--blend 1,1 gives weights by hand"),
            BlendError::Incoherent { .. } => plain("leave it out of --learners"),
            BlendError::Dataset(error) => error.into(),
            // What is not a network has no checkpoint, but the learners before it are kept.
            BlendError::Train(TrainError::Stopped { checkpoint: None }) => Self::Interrupted(
                "finished learners are kept; run the same command with --resume to continue"
                    .to_owned(),
            ),
            BlendError::Train(error) => error.into(),
            BlendError::Evaluate(error) => error.into(),
            error => Diagnostic::from_error("blend", &error).into(),
        }
    }
}
