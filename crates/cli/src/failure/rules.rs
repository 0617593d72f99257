//! Diagnostics of rules, label lists and thresholds.

use super::Failure;
use crate::diagnostic::{Diagnostic, Place};
use crate::text::some_names;
use rulebound::rule_file::RuleFileError;
use rulebound::threshold_file::ThresholdFileError;
use rulebound::threshold_search::{CostFileError, CostProblem};
use rulebound::weight_file::WeightFileError;
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

impl From<WeightFileError> for Failure {
    fn from(error: WeightFileError) -> Self {
        match error {
            WeightFileError::Input(error) => error.into(),
            WeightFileError::Missing { .. } => Diagnostic::plain("class-weight", error.to_string())
                .with_hint("list every class, or add a line `*,1` for all others")
                .into(),
            _ => Diagnostic::plain("class-weight", error.to_string()).into(),
        }
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
                let names = some_names(classes.iter().map(String::as_str), classes.len(), 10);
                let message = format!("{}: no threshold for {names}", path.display());
                Diagnostic::plain("no-threshold", message)
                    .with_hint("list every class, or add a line `*,0.5` for all others")
                    .into()
            }
            other => Diagnostic::from_error("threshold", &other).into(),
        }
    }
}

impl From<CostFileError> for Failure {
    fn from(error: CostFileError) -> Self {
        match error {
            CostFileError::Input(error) => error.into(),
            CostFileError::Lines { path, problems } => {
                let one = |(line, problem): (usize, CostProblem)| {
                    Diagnostic::plain("cost", format!("{}:{line}: {problem}", path.display()))
                };
                Self::Input(problems.into_iter().map(one).collect())
            }
            CostFileError::Missing { path, classes } => {
                let names = some_names(classes.iter().map(String::as_str), classes.len(), 10);
                let message = format!("{}: no costs for {names}", path.display());
                Diagnostic::plain("no-costs", message)
                    .with_hint("list every class, or add a line `*,1,1` for all others")
                    .into()
            }
            other => Diagnostic::from_error("cost", &other).into(),
        }
    }
}
