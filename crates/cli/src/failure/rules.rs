//! Diagnostics of rules, label lists and thresholds.

use super::Failure;
use crate::diagnostic::{Diagnostic, Place};
use rulebound::class_files::ClassFileError;
use rulebound::rule_file::RuleFileError;
use rulebound_core::{RuleError, Span};
use rulebound_io::input::InputError;
use std::path::Path;

impl From<RuleFileError> for Failure {
    fn from(error: RuleFileError) -> Self {
        match error {
            RuleFileError::Input(error) => error.into(),
            RuleFileError::Ontology(error) => error.into(),
            RuleFileError::Labels { path, duplicates } => Self::Input(
                duplicates
                    .into_iter()
                    .map(|label| {
                        let message = format!(
                            "{}:{}: duplicate label `{}` (first on line {})",
                            path.display(),
                            label.second,
                            label.name,
                            label.first
                        );
                        Diagnostic::plain("duplicate-label", message)
                    })
                    .collect(),
            ),
            RuleFileError::Rules { path, text, errors } => {
                let lines: Vec<&str> = text.lines().collect();
                let draw = |error: &RuleError| rule_error(&path, &lines, error);
                Self::Input(errors.0.iter().map(draw).collect())
            }
            other => Diagnostic::from_error("rules", &other).into(),
        }
    }
}

/// A file read as text: rules, labels, thresholds.
impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        match &error {
            InputError::NotUtf8 { .. } => Diagnostic::from_error("not-utf8", &error)
                .with_hint("save the file as UTF-8")
                .into(),
            _ => Diagnostic::from_error("unreadable", &error).into(),
        }
    }
}

/// The most lines that are drawn for one mistake.
const DRAWN: usize = 20;

fn rule_error(path: &Path, lines: &[&str], error: &RuleError) -> Diagnostic {
    let file = path.display().to_string();
    let place = |span: Span, note: &str| Place::new(&file, lines, span, note);
    let places = match error {
        RuleError::NotStratified { cycle } => cycle
            .steps
            .iter()
            .map(|step| {
                let not = if step.negated { "not " } else { "" };
                place(step.span, &format!("{not}{} leads to {}", step.from, step.to))
            })
            .collect(),
        RuleError::Unsatisfiable { problem } => {
            problem.lines.iter().take(DRAWN).map(|line| place(line.span, "")).collect()
        }
        // It is said of all lines together.
        RuleError::Undecided { .. } => Vec::new(),
        _ => vec![place(error.span(), "")],
    };
    let message = match error {
        // The lines are drawn below.
        RuleError::Unsatisfiable { problem } if problem.lines.len() > DRAWN => format!(
            "no prediction satisfies all of {} lines, the first {DRAWN} of which are these",
            problem.lines.len()
        ),
        RuleError::Unsatisfiable { .. } => "no prediction satisfies all of these lines".to_owned(),
        RuleError::Undecided { .. } => format!("{file}: {error}"),
        _ => error.to_string(),
    };
    Diagnostic { code: error.code(), message, places, hint: error.hint(), ..Diagnostic::default() }
}

/// Thresholds, weights and costs of classes.
impl From<ClassFileError> for Failure {
    fn from(error: ClassFileError) -> Self {
        let (code, hint) = (error.code(), error.hint());
        match error {
            ClassFileError::Input(error) => error.into(),
            ClassFileError::Lines { path, mistakes, .. } => {
                let path = path.display();
                let one = |mistake| Diagnostic::plain(code, format!("{path}:{mistake}"));
                Self::Input(mistakes.iter().map(one).collect())
            }
            other => Diagnostic { hint, ..Diagnostic::from_error(code, &other) }.into(),
        }
    }
}
