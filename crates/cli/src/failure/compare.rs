//! Diagnostics of comparisons.

use super::Failure;
use crate::diagnostic::Diagnostic;
use crate::text::{nearest_of, some_names, thousands};
use rulebound_compare::{ChooseError, CompareError, ResultTableError};
use serde_json::json;

/// All errors in one table.
pub fn table_diagnostics(error: &ResultTableError) -> Vec<Diagnostic> {
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
        let message = format!("{file}: {} more errors", thousands(mistakes.more()));
        diagnostics.push(Diagnostic::plain("table", message));
    }
    diagnostics
}

impl From<ChooseError> for Failure {
    fn from(error: ChooseError) -> Self {
        let diagnostic = |code| Diagnostic::plain(code, error.to_string());
        match &error {
            ChooseError::NoValues => diagnostic("no-values")
                .with_hint("every row below the header needs a data set, a method and a value")
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
            _ => Diagnostic::from_error("compare", &error).into(),
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
                let gaps = lacking.iter().map(|l| {
                    let methods = l.methods.iter().map(String::as_str);
                    let methods = some_names(methods, l.methods.len(), 20);
                    format!("{} has no value for {methods}", l.set)
                });
                let gaps: Vec<String> = gaps.collect();
                let names = some_names(gaps.iter().map(String::as_str), gaps.len(), 10);
                Diagnostic {
                    details: vec![("lacking", json!(lacking))],
                    ..Diagnostic::plain("few-sets", format!("{error}: {names}"))
                }
                .with_hint(
                    "--missing last ranks a method without a value last; or exclude the method with \
                     --methods",
                )
                .into()
            }
            CompareError::FewSets { .. } => plain("few-sets", "give results for more data sets"),
            _ => plain("one-method", "give results for more methods, in one file or several"),
        }
    }
}

fn nearest(wanted: &str, names: &[String]) -> String {
    nearest_of(wanted, &names.iter().map(String::as_str).collect::<Vec<_>>())
}
