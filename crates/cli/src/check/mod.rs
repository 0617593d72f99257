//! `rulebound check`: what a rule file defines, and what is wrong with it.

mod requirements;

use crate::arguments::RuleArguments;
use crate::data::write_text;
use crate::diagnostic::{Diagnostic, Warnings};
use crate::failure::Failure;
use crate::screen;
use crate::text::{count, rules_of, some_names, thousands, visible};
use clap::Args;

use rulebound::dataset::OntologyContents;
use rulebound::rule_file::{RuleFile, RuleFormat};
use rulebound_core::{
    FixedRules, Literal, Program, ProgramKind, RequirementId, RuleId, fix_rules, lint, lint_deep,
    lint_requirements, similar_names,
};
use rulebound_io::input::is_standard;
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

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
  dimacs  1 -2 0             clauses after `p cnf 3 2`, class numbers from 1; WDIMACS: hard ones
  pishield  y_0 or not y_3   clauses, class numbers from 0
  obo     an ontology        is_a and part_of lead from a term to its parent
Any of them may be gzipped.

Requirements, settled by how sure the model is (in the format rules):
  a -> not b     not (a, b)     a | b     a -> b | c     prefer a, b
  exclusive(a, b, c)   one of(a, b)   exactly 2 of(a, b, c)
  at most 2 of(a, b, c)   at least 2 of(a, b, c)   g -> between 1 and 2 of(a, b, c)

--fix drops duplicate, subsumed and implied rules, repeated literals, and requirements that follow
from what is left; comments and the other lines stay as they are, and so does every decision.

Exit codes: 0 success (also with warnings, unless --deny-warnings), 1 invalid rules, rules that
nothing satisfies or of which that is not decided within --settle-limit, 2 invalid command line, 3 a
warning with --deny-warnings, 4 the machine failed.")]
pub struct Check {
    /// Rule file; `-` is standard input
    rules: PathBuf,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    /// Also find rules that follow from the other rules
    #[arg(long)]
    deep: bool,
    /// Exit with code 3 if there is a warning
    #[arg(long)]
    deny_warnings: bool,
    /// Rewrite the file without superfluous rules
    #[arg(long)]
    fix: bool,
    /// With --fix: write the result to this file instead; `-` is standard output
    #[arg(long, value_name = "FILE", requires = "fix")]
    out: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The most warnings drawn as text, and the most names listed per stratum.
const WARNINGS: usize = 50;
const NAMES: usize = 12;

/// The most lines of dropped requirements that are listed.
const LINES: usize = 20;

impl Check {
    pub fn run(&self) -> Result<(), Failure> {
        let file = self.rule_arguments.read_as_written(&self.rules)?;
        if self.fix {
            return self.fix(&file);
        }
        let (warnings, incomplete) = self.warnings(&file);
        if self.json {
            screen::json(&to_json(&file, &warnings, incomplete))?;
        } else {
            screen::print_drawn(&to_text(&file, &warnings, incomplete))?;
        }
        match self.deny_warnings && !warnings.is_empty() {
            true => Err(Failure::Denied(warnings.len())),
            false => Ok(()),
        }
    }

    /// Writes the rules without what is superfluous.
    fn fix(&self, file: &RuleFile) -> Result<(), Failure> {
        let out = self.out.as_deref().unwrap_or(&self.rules);
        if self.out.is_none() && is_standard(&self.rules) {
            return Err(Failure::Usage("--fix: standard input needs --out".to_owned()));
        }
        if file.format == RuleFormat::Obo {
            let message = format!("--fix: {} is an ontology, not a rule file", file.path.display());
            return Err(Failure::Usage(message));
        }
        let fixed = fix_rules(&file.text, &file.parsed);
        // Nothing to do is no reason to touch a file.
        if self.out.is_some() || fixed.text != file.text {
            write_text(out, &fixed.text)?;
        }
        self.print_fixed(file, &fixed, out)
    }

    fn print_fixed(&self, file: &RuleFile, fixed: &FixedRules, out: &Path) -> Result<(), Failure> {
        let program = &file.parsed.program;
        let lines = |rules: &[RuleId]| -> Vec<u32> {
            rules.iter().map(|&rule| program.span(rule).line).collect()
        };
        let of_requirement = |&id: &RequirementId| program.requirement_span(id).line;
        let mut required: Vec<u32> =
            fixed.dropped_requirements.iter().map(of_requirement).collect();
        required.sort_unstable();
        if self.json && !is_standard(out) {
            screen::json(&json!({
                "out": out.display().to_string(),
                "rules": program.rules().len() - fixed.dropped.len(),
                "requirements": program.requirements().len() - required.len(),
                "dropped_lines": lines(&fixed.dropped),
                "dropped_requirement_lines": required,
                "complete": !fixed.incomplete,
                "shortened_lines": lines(&fixed.shortened),
            }))?;
        } else if !is_standard(out) {
            let dropped = count(fixed.dropped.len(), "rule");
            let shortened = count(fixed.shortened.len(), "rule");
            let out = out.display();
            let mut text = match program.has_requirements() {
                false => format!("{out}: {dropped} dropped, {shortened} shortened\n"),
                true => {
                    let left = count(program.requirements().len() - required.len(), "requirement");
                    let superfluous = count(required.len(), "requirement");
                    format!(
                        "{out}: {dropped} and {superfluous} dropped, {shortened} shortened; {left} left\n"
                    )
                }
            };
            if !required.is_empty() {
                let named: Vec<String> = required.iter().map(u32::to_string).collect();
                let names = named.iter().map(String::as_str);
                let names = some_names(names, named.len(), LINES);
                text += &format!("  requirements that follow from what is left: lines {names}\n");
            }
            if fixed.incomplete {
                text +=
                    "  there may be more: not all questions were answered within --settle-limit\n";
            }
            screen::summary(&text)?;
        }
        Ok(())
    }

    fn warnings(&self, file: &RuleFile) -> (Vec<Diagnostic>, bool) {
        let program = &file.parsed.program;
        let shallow = lint(program);
        let required = lint_requirements(program, self.deep);
        let deep = if self.deep { lint_deep(program, &shallow) } else { Vec::new() };
        let drawn = Warnings::new(file);
        let mut warnings: Vec<Diagnostic> =
            shallow.lints.iter().chain(&deep).map(|lint| drawn.lint(lint)).collect();
        // A list of classes has found the misspelled names already.
        if self.rule_arguments.labels.is_none() {
            warnings.extend(similar_names(program).iter().map(|lint| drawn.lint(lint)));
        }
        warnings.extend(required.lints.iter().map(|lint| drawn.requirement(lint)));
        let repeated = &file.parsed.repeated_literals;
        warnings.extend(repeated.iter().map(|&rule| drawn.repeated_literal(rule)));
        warnings.sort_by_key(|warning| warning.places[0].span);
        (warnings, shallow.incomplete || required.incomplete)
    }
}

fn to_json(file: &RuleFile, warnings: &[Diagnostic], incomplete: bool) -> serde_json::Value {
    let program = &file.parsed.program;
    let name = |label| program.labels().name(label);
    let strata: Vec<Vec<&str>> =
        program.strata().classes().into_iter().map(|s| s.into_iter().map(name).collect()).collect();
    let mut value = json!({
        "file": file.path.display().to_string(),
        "format": file.format.name(),
        "classes": program.labels().len(),
        "rules": program.rules().len(),
        "kind": program.kind().to_string(),
        "hierarchy": program.is_hierarchy() && !program.rules().is_empty(),
        "strata": strata,
        "warnings": warnings.iter().map(Diagnostic::to_json).collect::<Vec<_>>(),
        "warnings_complete": !incomplete,
        "unknown_labels": file.unknown,
    });
    if let (Some(required), Some(object)) = (requirements::to_json(program), value.as_object_mut())
    {
        object.insert("requirements".to_owned(), required);
    }
    if let (Some(ontology), Some(object)) = (&file.ontology, value.as_object_mut()) {
        object.insert("ontology".to_owned(), json!(ontology.contents()));
    }
    value
}

/// What the rules are like, in words; nothing where there are none.
fn about_rules(program: &Program) -> String {
    if program.rules().is_empty() {
        return String::new();
    }
    let kind = match program.kind() {
        _ if program.is_hierarchy() => "a hierarchy",
        ProgramKind::Definite => "without negation",
        // The program would be refused otherwise.
        ProgramKind::SemiPositive | ProgramKind::Stratified => {
            "no class depends on its own negation"
        }
    };
    format!(", {kind}, {}", count(program.strata().len(), "stratum"))
}

/// What of an ontology is used, and what is not.
fn about_ontology(contents: &OntologyContents) -> String {
    let mut text = String::new();
    if let Some(version) = &contents.version {
        let _ = writeln!(text, "  version {version}");
    }
    let _ = writeln!(
        text,
        "  used: {}, {} is_a, {} part_of; {} and {} that one other replaces are understood as that term",
        count(contents.terms, "term"),
        thousands(contents.is_a as u64),
        thousands(contents.part_of as u64),
        count(contents.alternatives, "alternative id"),
        count(contents.replaced, "obsolete id"),
    );
    let mut left_out = Vec::new();
    if contents.obsolete > 0 {
        left_out.push(count(contents.obsolete, "obsolete term"));
    }
    if contents.across_aspects > 0 {
        let edges = thousands(contents.across_aspects as u64);
        left_out.push(format!("{edges} part_of from one aspect of the Gene Ontology to another"));
    }
    let relations = contents.other_relations.iter();
    left_out.extend(relations.map(|(name, edges)| format!("{} {name}", thousands(*edges as u64))));
    if !left_out.is_empty() {
        let names = left_out.iter().map(String::as_str);
        let _ = writeln!(text, "  left out: {}", some_names(names, left_out.len(), LINES));
    }
    text
}

fn to_text(file: &RuleFile, warnings: &[Diagnostic], incomplete: bool) -> String {
    let program = &file.parsed.program;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}: {} over {} (format {}){}",
        file.path.display(),
        rules_of(program),
        count(program.labels().len(), "class"),
        file.format,
        about_rules(program),
    );
    // Requirements alone have no strata.
    let strata = if program.rules().is_empty() { Vec::new() } else { program.strata().classes() };
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
    text.push_str(&requirements::to_text(program));
    if let Some(ontology) = &file.ontology {
        text.push_str(&about_ontology(ontology.contents()));
    }
    let mut text = visible(&text).into_owned();
    if !file.unknown.is_empty() {
        let names = file.unknown.iter().map(String::as_str);
        let names = some_names(names, file.unknown.len(), NAMES);
        let classes = count(file.unknown.len(), "class");
        let _ = writeln!(text, "  not in the label list: {classes}, hidden unless kept: {names}");
    }
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
