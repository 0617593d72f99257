//! Diagnostics of tables of scores.

use super::Failure;
use crate::diagnostic::Diagnostic;
use crate::text::some_names;
use rulebound::apply::ApplyError;
use rulebound::long_table::LongTableError;
use rulebound::sparse::SparseRowError;
use rulebound_core::{LayerError, SparseError};
use rulebound_io::array::ArrayError;
use rulebound_io::scores::{BadReason, ScoreError};
use serde_json::json;

/// What to do about a row that cannot be settled.
pub(super) const UNSETTLED: &str =
    "a larger --settle-limit looks longer; --unsettled mark or raw goes on without such rows";

impl From<ApplyError> for Failure {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Scores(error) => error.into(),
            ApplyError::Stopped => Self::Stopped,
            ApplyError::NoColumn { path, classes, columns } => {
                let names = some_names(classes.iter().map(String::as_str), classes.len(), 10);
                let message = format!("{}: no column for {names}", path.display());
                let have = some_names(columns.iter().map(String::as_str), columns.len(), 10);
                Diagnostic::plain("no-column", message)
                    .with_hint(format!(
                        "every class of the rules needs a column with its name (--labels selects \
                         the terms of an ontology); the table has {have}"
                    ))
                    .into()
            }
            ApplyError::NearColumn { .. } => Diagnostic::plain("near-label", error.to_string())
                .with_hint("correct the name in one of them")
                .into(),
            ApplyError::Unmatched { ref source, .. } => {
                Diagnostic::plain("unmatched-classes", error.to_string())
                    .with_hint(source.hint())
                    .into()
            }
            ApplyError::CannotHide { .. } => Diagnostic::plain("cannot-hide", error.to_string())
                .with_hint("give the class a column in the table")
                .into(),
            ApplyError::NoRow { .. } => Diagnostic::plain("no-row", error.to_string())
                .with_hint("rows are counted from 1, without the header")
                .into(),
            ApplyError::Layer(LayerError::Unsettled { .. }) => {
                Diagnostic::plain("unsettled", error.to_string()).with_hint(UNSETTLED).into()
            }
            ApplyError::Layer(_) => Diagnostic::plain("not-a-number", error.to_string()).into(),
            other => Diagnostic::from_error("apply", &other).into(),
        }
    }
}

impl From<LongTableError> for Failure {
    fn from(error: LongTableError) -> Self {
        let (code, hint) = match &error {
            LongTableError::Scores(_) => {
                return match error {
                    LongTableError::Scores(error) => error.into(),
                    other => Diagnostic::from_error("long-table", &other).into(),
                };
            }
            LongTableError::Stopped => return Self::Stopped,
            LongTableError::NoColumn { columns, .. } => {
                let have = some_names(columns.iter().map(String::as_str), columns.len(), 10);
                let options = "--id-column, --class-column and --score-column name them";
                ("no-column", format!("{options}; the table has {have}"))
            }
            LongTableError::UnknownClass { near, .. } => (
                "unknown-class",
                match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "a file of --labels can name classes that no rule has".to_owned(),
                },
            ),
            LongTableError::Rules(SparseError::Unsettled { .. })
            | LongTableError::Group {
                source: SparseRowError::Layer(SparseError::Unsettled { .. }),
                ..
            } => ("unsettled", UNSETTLED.to_owned()),
            LongTableError::Returned { .. } => ("id-returns", "sort the table by id".to_owned()),
            LongTableError::Unsorted { .. } => (
                "unsorted",
                "`LC_ALL=C sort` sorts by bytes; --ids grouped takes ids in any order".to_owned(),
            ),
            LongTableError::NoId { .. } => ("no-id", "every row needs an id".to_owned()),
            LongTableError::Rules(_) | LongTableError::Cut(_) => {
                return Diagnostic::plain("rules", error.to_string()).into();
            }
            _ => return Diagnostic::plain("long-table", error.to_string()).into(),
        };
        Diagnostic::plain(code, error.to_string()).with_hint(hint).into()
    }
}

impl From<ScoreError> for Failure {
    fn from(error: ScoreError) -> Self {
        if let Some(failure) = Self::if_broken_pipe(&error) {
            return failure;
        }
        if let ScoreError::BadCells { path, cells, total, complete } = &error {
            let mut diagnostics: Vec<Diagnostic> = cells
                .iter()
                .map(|cell| Diagnostic {
                    hint: hint(&cell.reason).map(str::to_owned),
                    details: vec![
                        ("file", json!(path.display().to_string())),
                        ("row", json!(cell.row)),
                        ("line", json!(cell.line)),
                        ("column", json!(cell.column)),
                        ("class", json!(cell.name)),
                        ("text", json!(cell.text)),
                        ("id", json!(cell.id)),
                    ],
                    ..Diagnostic::plain("bad-cell", format!("{}: {cell}", path.display()))
                })
                .collect();
            let more = total.saturating_sub(cells.len() as u64);
            if more > 0 {
                let at_least = if *complete { "" } else { "at least " };
                let message = format!("{}: {at_least}{more} more bad cells", path.display());
                diagnostics.push(Diagnostic::plain("bad-cell", message));
            }
            return Self::Input(diagnostics);
        }
        let diagnostic = Diagnostic::from_error("table", &error);
        match &error {
            ScoreError::Array(ArrayError::NoNames { .. }) => diagnostic
                .with_hint(
                    "--labels FILE names them: one class per line, in the order of the columns",
                )
                .into(),
            ScoreError::NoIdColumn { columns, .. } if columns.is_empty() => {
                diagnostic.with_hint("an array has no ids; rows are matched by their order").into()
            }
            ScoreError::NoIdColumn { columns, .. } => {
                let have = some_names(columns.iter().map(String::as_str), columns.len(), 10);
                diagnostic.with_hint(format!("the columns are {have}")).into()
            }
            _ => diagnostic.into(),
        }
    }
}

fn hint(reason: &BadReason) -> Option<&'static str> {
    match reason {
        BadReason::OutsideUnit => {
            Some("scores are probabilities between 0 and 1; use --logits for logits")
        }
        BadReason::Empty | BadReason::NaN => Some("every class needs a number in every row"),
        _ => None,
    }
}
