//! `rulebound apply`: scores of any model in, coherent scores out.

use crate::arguments::{
    RuleArguments, ScoreArguments, ThresholdArguments, UnsettledArguments, expect_stdin_once,
    note_unsettled,
};
use crate::choice::one_of;
use crate::failure::Failure;
use crate::hidden_classes::HiddenClasses;
use crate::interrupt::end_on_signal;
use crate::long_arguments::{self, LongArguments, TableLayout};
use crate::score_changes;
use crate::screen;
use crate::text::{count, some_names, thousands};
use clap::Args;
use rulebound::apply::{ApplySummary, OpenScores, ScoreSource};
use rulebound::long_table::apply_long;
use rulebound::predict::PredictionPaths;
use rulebound::rule_file::RuleFile;
use rulebound_core::Thresholds;
use rulebound_io::input::is_standard;
use rulebound_io::table::{Layout, TableTarget};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Make the scores of any model obey the rules
///
/// Reads a table with one column per class (the header names them), and writes
/// the same table with coherent scores. A score that the rules do not change
/// is written exactly as it was read; one that they change becomes a copy of the
/// score of the class that decided it, or one minus that score. Other columns pass
/// through unchanged.
#[derive(Args)]
#[command(after_help = "Example:
  printf 'stomach -> abdomen\\n' > body.rules
  printf 'image,stomach,abdomen\\n1,0.8,0.3\\n' > scores.csv
  rulebound apply --rules body.rules --scores scores.csv --out coherent.csv --decisions -

Long tables have one row per id and class:
  printf 'id,class,score\\np1,stomach,0.8\\n' | rulebound apply --rules body.rules --scores - --layout long --out -

Tables are .csv, .tsv, .parquet or .npy (with --labels), optionally gzipped (.gz); `-` is CSV on standard
input or output.
Exit codes: 0 success, 1 invalid input, 2 invalid command line, 4 the machine failed.")]
pub struct Apply {
    /// Rule file
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    /// Table of scores
    #[arg(long, value_name = "FILE")]
    scores: PathBuf,
    /// Output file for the coherent scores
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    score_arguments: ScoreArguments,
    /// Format of outputs whose name does not say it, such as `-` [default: csv for those]
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<Layout>(Layout::NAMES))]
    out_format: Option<Layout>,
    /// Also write the decisions (0 or 1) to this file
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Also write which literal decided each class: `stomach`, `not upper`, or a fact `-> head`
    #[arg(long, value_name = "FILE")]
    delegates: Option<PathBuf>,
    /// Column that identifies rows: never a class, and copied to the decisions and delegates
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    #[command(flatten)]
    unsettled: UnsettledArguments,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    long: LongArguments,
}

impl Apply {
    pub fn run(&self) -> Result<(), Failure> {
        expect_stdin_once(&[("--rules", Some(&self.rules)), ("--scores", Some(&self.scores))])?;
        self.rule_arguments.expect_columns()?;
        let mut file = self.rule_arguments.read(&self.rules)?;
        if self.long.layout == TableLayout::Long {
            let thresholds = self.score_arguments.thresholds(&file.class_names())?;
            return self.run_long(&file, &thresholds);
        }
        self.long.expect_none()?;
        let source = ScoreSource {
            scores: self.scores.clone(),
            kind: self.score_arguments.kind(),
            id_column: self.id_column.clone(),
            names: self.rule_arguments.names(&file)?,
            ontology: file.ontology.clone(),
        };
        let paths = PredictionPaths {
            out: self.out.clone(),
            decisions: self.decisions.clone(),
            delegates: self.delegates.clone(),
            top: None,
            raw: None,
            layout: self.out_format,
        };
        let stop = end_on_signal();
        let bar = screen::rows_bar(self.json);
        let unknown = self.rule_arguments.unknown_labels;
        let halves = ThresholdArguments::default().thresholds(&file.class_names())?;
        let scores = OpenScores::open(&file.parsed.program, &halves, &source, unknown)?;
        let thresholds = self.score_arguments.thresholds(&scores.class_names())?;
        let scores = scores.with_thresholds(thresholds);
        let passed = scores.columns_without_terms();
        let hidden = HiddenClasses::new(&file, scores.hidden());
        file.parsed.program = scores.program().clone();
        let scores = scores.with_unsettled(self.unsettled.unsettled);
        let result = scores.apply(&paths, |rows| {
            bar.set_position(rows);
            !stop.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        let summary = result?;
        if !self.json {
            hidden.tell("the table");
            if let Some(note) = passed_note(&passed, &self.rules) {
                screen::note(note);
            }
        }
        note_unsettled(self.unsettled.unsettled, &summary.unsettled);
        self.print_summary(&file, &summary, &hidden, &passed)
    }

    /// Runs a long table.
    fn run_long(&self, file: &RuleFile, thresholds: &Thresholds) -> Result<(), Failure> {
        let unusable =
            [("--decisions", self.decisions.is_some()), ("--delegates", self.delegates.is_some())];
        if let Some((name, _)) = unusable.iter().find(|(_, is_given)| *is_given) {
            return Err(Failure::Usage(format!("{name} needs --layout wide")));
        }
        let (kind, id) = (self.score_arguments.kind(), self.id_column.as_deref());
        let unsettled = self.unsettled.unsettled;
        let source = self.long.source(self.scores.clone(), kind, id, unsettled);
        let target = TableTarget { path: &self.out, layout: self.out_format };
        let stop = end_on_signal();
        let bar = screen::rows_bar(self.json);
        let (program, ontology) = (&file.parsed.program, file.ontology.as_deref());
        let result = apply_long(program, ontology, thresholds, &source, target, |rows| {
            bar.set_position(rows);
            !stop.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        let summary = result?;
        if let Some(note) = long_arguments::unsettled_note(&summary, unsettled) {
            screen::note(note);
        }
        let text = match self.json {
            true => screen::json_text(&long_arguments::to_json(&summary, &self.out))?,
            false => long_arguments::to_text(&summary, &self.out),
        };
        match (is_standard(&self.out), self.json) {
            (false, true) => screen::print(&text)?,
            (false, false) => screen::summary(&text)?,
            (true, true) => anstream::eprint!("{text}"),
            (true, false) => {}
        }
        Ok(())
    }

    /// The summary goes to standard output, unless a table does.
    fn print_summary(
        &self,
        file: &RuleFile,
        summary: &ApplySummary,
        hidden: &HiddenClasses,
        passed: &[String],
    ) -> Result<(), Failure> {
        let outputs = [Some(&self.out), self.decisions.as_ref(), self.delegates.as_ref()];
        let table_on_stdout = outputs.into_iter().flatten().any(|path| is_standard(path));
        let text = if self.json {
            screen::json_text(&to_json(file, summary, hidden, passed, &self.out))?
        } else {
            to_text(file, summary, &self.out)
        };
        if !table_on_stdout {
            match self.json {
                true => screen::print(&text)?,
                false => screen::summary(&text)?,
            }
        } else if self.json {
            anstream::eprint!("{text}");
        }
        Ok(())
    }
}

/// A note about columns that are no terms of an ontology, if there are any.
fn passed_note(passed: &[String], rules: &Path) -> Option<String> {
    /// The most names.
    const NAMED: usize = 20;
    let (are, copied) = match passed.len() {
        0 => return None,
        1 => ("is no term", "is copied as it is"),
        _ => ("are no terms", "are copied as they are"),
    };
    let columns = count(passed.len(), "column");
    let named: Vec<String> = passed.iter().map(|name| format!("`{name}`")).collect();
    let named = some_names(named.iter().map(String::as_str), named.len(), NAMED);
    let rules = rules.display();
    Some(format!("note: {columns} {are} of {rules} and {copied}: {named}"))
}

fn to_json(
    file: &RuleFile,
    summary: &ApplySummary,
    hidden: &HiddenClasses,
    passed: &[String],
    out: &Path,
) -> serde_json::Value {
    let program = &file.parsed.program;
    let mut value = json!({
        "out": out.display().to_string(),
        "rows": summary.rows,
        "incoherent_rows": summary.broken.incoherent_rows,
        "changed_rows": summary.changed_rows,
        "changed_scores": summary.changed_scores,
        "broken_rules": summary.broken.rules(program),
        "hidden_classes": hidden.count(),
        "hidden": hidden.to_json(),
        "passed_columns": passed,
    });
    if let (Some(changes), Some(object)) = (&summary.changes, value.as_object_mut()) {
        let broken = &summary.broken;
        object.insert("rows_breaking_rules".to_owned(), json!(broken.breaking_rules));
        object.insert("rows_breaking_requirements".to_owned(), json!(broken.breaking_requirements));
        object.insert("broken_requirements".to_owned(), json!(broken.requirements(program)));
        object.insert("unsettled".to_owned(), json!(summary.unsettled));
        object.extend(score_changes::to_json(changes));
    }
    value
}

/// The most broken rules that are listed, and the most requirements.
const LISTED: usize = 5;

fn to_text(file: &RuleFile, summary: &ApplySummary, out: &Path) -> String {
    let program = &file.parsed.program;
    let (broken, rows) = (&summary.broken, count(summary.rows as usize, "row"));
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match &summary.changes {
        None => writeln!(
            text,
            "{rows}: {} broke a rule before ({:.1} %), none does now; {} changed",
            thousands(broken.incoherent_rows),
            100.0 * broken.incoherent_rows as f64 / (summary.rows as f64).max(1.0),
            count(summary.changed_scores as usize, "score"),
        ),
        Some(changes) => writeln!(
            text,
            "{rows}: {} broke a rule, {} a requirement before, {} now\n{}",
            thousands(broken.breaking_rules),
            thousands(broken.breaking_requirements),
            match summary.unsettled.rows {
                0 => "none does".to_owned(),
                rows => format!("{} not settled", thousands(rows)),
            },
            score_changes::to_text(changes),
        ),
    };
    let rules = broken.rules(program);
    for one in rules.iter().take(LISTED) {
        let (rows, line) = (thousands(one.rows), one.line);
        let _ = writeln!(text, "  {rows:>9}  {}  (line {line})", one.rule);
    }
    let requirements = broken.requirements(program);
    let more = |all: usize, what: &str| match all.saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("             and {} (--json lists all)\n", count(more, what)),
    };
    text += &more(rules.len(), "more rule");
    for one in requirements.iter().take(LISTED) {
        let (rows, line) = (thousands(one.rows), one.line);
        let _ = writeln!(text, "  {rows:>9}  {}  (line {line})", one.requirement);
    }
    text += &more(requirements.len(), "more requirement");
    let _ = writeln!(text, "written to {}", out.display());
    text
}
