//! `rulebound check`: what a rule file defines, and what is wrong with it.

use crate::arguments::RuleArguments;
use crate::diagnostic::{Diagnostic, Warnings};
use crate::failure::Failure;
use crate::screen;
use crate::text::{count, some_names, visible};
use clap::Args;
use rulebound::rule_file::RuleFile;
use rulebound_core::{Literal, lint, lint_deep};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Check a rule file: classes, strata, errors and warnings
///
/// All errors are reported at once, each with its position. If rules define a
/// class through its own negation, the whole cycle is shown.
#[derive(Args)]
#[command(after_help = "Example:
  printf 'stomach -> abdomen\\nabdomen, not upper -> lower\\n' > body.rules
  rulebound check body.rules

Rule formats:
  rules   a, not b -> c      also c :- a, not b.   ! ~ ¬ negate, & and join, # % comment
  ccn     0.121 5 :- n2 4    weight, class numbers from 0, n negates
  edges   child,parent       CSV or TSV
  obo     an ontology        is_a and part_of lead from a term to its parent
Any of them may be gzipped.

Exit codes: 0 success (also with warnings), 1 invalid rules, 2 invalid command line.")]
pub struct Check {
    /// Rule file; `-` is standard input
    rules: PathBuf,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    /// Also find rules that follow from the other rules
    #[arg(long)]
    deep: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The most warnings drawn as text, and the most names listed per stratum.
const WARNINGS: usize = 50;
const NAMES: usize = 12;

impl Check {
    pub fn run(&self) -> Result<(), Failure> {
        let file = self.rule_arguments.read(&self.rules)?;
        let (warnings, incomplete) = self.warnings(&file);
        if self.json {
            screen::json(&to_json(&file, &warnings, incomplete))?;
        } else {
            screen::print_drawn(&to_text(&file, &warnings, incomplete))?;
        }
        Ok(())
    }

    fn warnings(&self, file: &RuleFile) -> (Vec<Diagnostic>, bool) {
        let program = &file.parsed.program;
        let shallow = lint(program);
        let deep = if self.deep { lint_deep(program, &shallow) } else { Vec::new() };
        let drawn = Warnings::new(file);
        let mut warnings: Vec<Diagnostic> =
            shallow.lints.iter().chain(&deep).map(|lint| drawn.lint(lint)).collect();
        let repeated = &file.parsed.repeated_literals;
        warnings.extend(repeated.iter().map(|&rule| drawn.repeated_literal(rule)));
        warnings.sort_by_key(|warning| warning.places[0].span);
        (warnings, shallow.incomplete)
    }
}

fn to_json(file: &RuleFile, warnings: &[Diagnostic], incomplete: bool) -> serde_json::Value {
    let program = &file.parsed.program;
    let name = |label| program.labels().name(label);
    let strata: Vec<Vec<&str>> =
        program.strata().classes().into_iter().map(|s| s.into_iter().map(name).collect()).collect();
    json!({
        "file": file.path.display().to_string(),
        "format": file.format.name(),
        "classes": program.labels().len(),
        "rules": program.rules().len(),
        "kind": program.kind().to_string(),
        "hierarchy": program.is_hierarchy(),
        "strata": strata,
        "warnings": warnings.iter().map(Diagnostic::to_json).collect::<Vec<_>>(),
        "warnings_complete": !incomplete,
    })
}

fn to_text(file: &RuleFile, warnings: &[Diagnostic], incomplete: bool) -> String {
    let program = &file.parsed.program;
    let mut text = String::new();
    let hierarchy = if program.is_hierarchy() { ", a hierarchy" } else { "" };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}: {} over {} (format {}), {}{hierarchy}, {}",
        file.path.display(),
        count(program.rules().len(), "rule"),
        count(program.labels().len(), "class"),
        file.format,
        program.kind(),
        count(program.strata().len(), "stratum"),
    );
    let strata = program.strata().classes();
    for (index, classes) in strata.iter().enumerate().take(NAMES) {
        let names: Vec<String> = classes
            .iter()
            .take(NAMES + 1)
            .map(|&label| Literal::positive(label).display(program.labels()).to_string())
            .collect();
        let names = some_names(names.iter().map(String::as_str), classes.len(), NAMES);
        let size = count(classes.len(), "class");
        let _ = writeln!(text, "  stratum {}: {size}: {names}", index + 1);
    }
    if strata.len() > NAMES {
        let _ = writeln!(text, "  … and {} more strata (--json lists all)", strata.len() - NAMES);
    }
    let mut text = visible(&text).into_owned();
    for warning in warnings.iter().take(WARNINGS) {
        let _ = writeln!(text, "\n{}", warning.draw());
    }
    if warnings.len() > WARNINGS {
        let more = warnings.len() - WARNINGS;
        let _ = writeln!(text, "\n… and {} (--json lists all)", count(more, "more warning"));
    }
    if incomplete {
        let _ =
            writeln!(text, "\nthere are too many pairs of rules; not all of them were compared");
    }
    text
}
