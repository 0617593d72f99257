//! Diagnostics of rules, label lists and thresholds.

use super::{Diagnostic, Place};
use crate::failure::Failure;
use rulebound::input::InputError;
use rulebound::rule_file::{RuleFile, RuleFileError};
use rulebound::threshold_file::ThresholdFileError;
use rulebound_core::{Lint, RuleError, RuleId, Span};
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
                            "{}:{}: the label `{}` stands already on line {}",
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
        }
    }
}

/// A file that is read as text: rules, labels, thresholds.
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
        _ => vec![place(error.span(), "")],
    };
    Diagnostic {
        code: error.code(),
        message: error.to_string(),
        warning: false,
        places,
        hint: error.hint(),
        details: Vec::new(),
    }
}

/// The warnings about a file of rules.
pub struct Warnings<'a> {
    file: &'a RuleFile,
    name: String,
    lines: Vec<&'a str>,
}

impl<'a> Warnings<'a> {
    pub fn new(file: &'a RuleFile) -> Self {
        Self { file, name: file.path.display().to_string(), lines: file.text.lines().collect() }
    }

    pub fn of(&self, lint: &Lint) -> Diagnostic {
        let program = &self.file.parsed.program;
        self.at(lint.rule, lint.kind.code(), lint.describe(program).to_string())
    }

    pub fn repeated_literal(&self, rule: RuleId) -> Diagnostic {
        let message = "a literal stands twice in the body; it counts once".to_owned();
        self.at(rule, "repeated-literal", message)
    }

    fn at(&self, rule: RuleId, code: &'static str, message: String) -> Diagnostic {
        let span = self.file.parsed.program.span(rule);
        let places = vec![Place::new(&self.name, &self.lines, span, "")];
        Diagnostic { code, message, warning: true, places, ..Diagnostic::default() }
    }
}

impl From<ThresholdFileError> for Failure {
    fn from(error: ThresholdFileError) -> Self {
        match error {
            ThresholdFileError::Input(error) => error.into(),
            ThresholdFileError::Lines { path, problems } => Self::Input(
                problems
                    .into_iter()
                    .map(|(line, problem)| {
                        let message = format!("{}:{line}: {problem}", path.display());
                        Diagnostic::plain("threshold", message)
                    })
                    .collect(),
            ),
            ThresholdFileError::Missing { path, classes } => {
                let names = crate::screen::some_names(
                    classes.iter().map(String::as_str),
                    classes.len(),
                    10,
                );
                let message = format!("{}: no threshold for {names}", path.display());
                Diagnostic::plain("no-threshold", message)
                    .with_hint("name every class, or add a line `*,0.5` for all the others")
                    .into()
            }
        }
    }
}
