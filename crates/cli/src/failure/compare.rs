//! What went wrong with a comparison, and what to do.

use super::Failure;
use crate::diagnostic::Diagnostic;
use crate::text::{some_names, thousands};
use rulebound::compare::{ChooseError, CompareError, ResultTableError};
use rulebound_core::Labels;
use serde_json::json;

/// All that is wrong with one table.
pub fn of_table(error: &ResultTableError) -> Vec<Diagnostic> {
    let ResultTableError::Broken { path, mistakes } = error else {
        return vec![Diagnostic::from_error("table", error)];
    };
    let file = path.display().to_string();
    let mut diagnostics: Vec<Diagnostic> = mistakes
        .kept()
        .iter()
        .map(|mistake| Diagnostic {
            hint: Some(mistake.problem.hint().to_owned()),
            details: vec![
                ("file", json!(file)),
                ("line", json!(mistake.line)),
                ("column", json!(mistake.column)),
                ("text", json!(mistake.text)),
            ],
            ..Diagnostic::plain("table", format!("{file}:{mistake}"))
        })
        .collect();
    if mistakes.more() > 0 {
        let message = format!("{file}: {} more mistakes", thousands(mistakes.more()));
        diagnostics.push(Diagnostic::plain("table", message));
    }
    diagnostics
}

impl From<ChooseError> for Failure {
    fn from(error: ChooseError) -> Self {
        let diagnostic = |code| Diagnostic::plain(code, error.to_string());
        match &error {
            ChooseError::NoValues => diagnostic("no-values")
                .with_hint("below the header, every row has a set, a method and a value")
                .into(),
            ChooseError::ManyMetrics { metrics } => Diagnostic {
                details: vec![("metrics", json!(metrics))],
                ..diagnostic("many-metrics")
            }
            .with_hint("choose one with --metric")
            .into(),
            ChooseError::NoSuchMetric { wanted, metrics } => Diagnostic {
                details: vec![("metrics", json!(metrics))],
                ..diagnostic("no-such-metric")
            }
            .with_hint(nearest(wanted, metrics))
            .into(),
        }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        let plain = |code, hint: &str| -> Self {
            Diagnostic::plain(code, error.to_string()).with_hint(hint).into()
        };
        match &error {
            CompareError::UnknownDirection { metric: Some(_) } => {
                Self::Usage(format!("{error}: add --higher or --lower"))
            }
            CompareError::UnknownDirection { metric: None } => {
                Self::Usage(format!("{error}: add --metric, or --higher or --lower"))
            }
            CompareError::Alpha { .. } => Self::Usage(format!("--alpha: {error}")),
            CompareError::NoSuchMethod { name, methods } => Diagnostic {
                details: vec![("methods", json!(methods))],
                ..Diagnostic::plain("no-such-method", error.to_string())
            }
            .with_hint(nearest(name, methods))
            .into(),
            CompareError::FewSets { lacking, .. } if !lacking.is_empty() => {
                let told =
                    lacking.iter().map(|l| format!("{} lacks {}", l.set, l.methods.join(", ")));
                let told: Vec<String> = told.collect();
                let names = some_names(told.iter().map(String::as_str), told.len(), 10);
                Diagnostic {
                    details: vec![("lacking", json!(lacking))],
                    ..Diagnostic::plain("few-sets", format!("{error}: {names}"))
                }
                .with_hint(
                    "with --missing last, a method without a value is the last there; or leave \
                     the method out of the table",
                )
                .into()
            }
            CompareError::FewSets { .. } => plain("few-sets", "give results of more sets"),
            _ => plain("one-method", "give results of more methods, in one file or several"),
        }
    }
}

/// What there is, the nearest first.
fn nearest(wanted: &str, names: &[String]) -> String {
    let labels = Labels::new(names.iter().map(String::as_str)).ok();
    match labels.as_ref().and_then(|labels| labels.nearest(wanted)) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => {
            let have = some_names(names.iter().map(String::as_str), names.len(), 20);
            format!("there is {have}")
        }
    }
}
