//! `rulebound evaluate`: what predictions are worth.
//!
//! Reading what is to be evaluated and telling the result are apart, so that another source of
//! predictions needs only another way to get an [`Evaluation`].

use crate::arguments::{Meaning, Reading, expect_stdin_once};
use crate::failure::Failure;
use crate::screen::{self, count, thousands};
use clap::Args;
use rulebound::evaluate::{Evaluation, Request, Tables};
use rulebound::rule_file::{RuleFile, read_labels};
use rulebound_core::metrics::LabelsInMetrics;
use std::fmt::Write;
use std::path::PathBuf;

/// Compare the scores of any model with the truth
///
/// Reads a table of scores and a table of 0 and 1 with the same columns, one per
/// class, in any order, and prints ten metrics; with rules, also how many rows
/// break one. Rows are matched by their places, or by an id column.
#[derive(Args)]
#[command(after_help = "Examples:
  printf 'stomach,abdomen\\n0.8,0.3\\n0.1,0.6\\n' > scores.csv
  printf 'stomach,abdomen\\n1,1\\n0,1\\n' > truth.csv
  rulebound evaluate --scores scores.csv --truth truth.csv

  printf 'stomach -> abdomen\\n' > body.rules
  rulebound evaluate --scores scores.csv --truth truth.csv --rules body.rules --json

What the metrics are, how they treat ties and when they are undefined: docs/metrics.md.
Tables are .csv, .tsv or .parquet, also with .gz; `-` is CSV on standard input.
Exit code 0: fine, 1: the input is wrong, 2: the command line is wrong.")]
pub struct Evaluate {
    /// The table of scores
    #[arg(long, value_name = "FILE")]
    scores: PathBuf,
    /// The table of truth: 0 and 1, the same columns in any order
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// A file of rules: also count the rows that break one
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    meaning: Meaning,
    /// Column that identifies rows, in both tables; they are then matched by it
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Which classes count: those with at least one positive in the truth, or all
    #[arg(long, value_name = "WHICH", default_value = "present", value_parser = ["present", "all"])]
    labels_in_metrics: String,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl Evaluate {
    pub fn run(&self) -> Result<(), Failure> {
        let choice = self.labels_in_metrics.parse::<LabelsInMetrics>();
        let choice = choice.map_err(|error| Failure::Usage(error.to_string()))?;
        let evaluation = self.of_tables(choice)?;
        self.tell(&evaluation, choice)
    }

    fn of_tables(&self, choice: LabelsInMetrics) -> Result<Evaluation, Failure> {
        expect_stdin_once(&[
            ("--scores", Some(&self.scores)),
            ("--rules", self.rules.as_deref()),
            ("--labels", self.reading.labels.as_deref()),
            ("--thresholds", self.meaning.thresholds.thresholds.as_deref()),
        ])?;
        let rules = self.rules.as_deref().map(|rules| self.reading.read(rules)).transpose()?;
        let tables = Tables::open(Request {
            scores: self.scores.clone(),
            truth: self.truth.clone(),
            kind: self.meaning.kind(),
            id_column: self.id_column.clone(),
            classes: self.classes(rules.as_ref())?,
        })?;
        let thresholds = self.meaning.thresholds(tables.labels())?;
        let program = rules.as_ref().map(|file| &file.parsed.program);
        Ok(tables.evaluate(program, &thresholds, choice)?)
    }

    /// The classes of `--labels`, which rules that were read with it begin with.
    fn classes(&self, rules: Option<&RuleFile>) -> Result<Option<rulebound_core::Labels>, Failure> {
        match (&self.reading.labels, rules) {
            (None, _) => Ok(None),
            (Some(_), Some(file)) => Ok(Some(file.parsed.program.labels().clone())),
            (Some(list), None) => Ok(Some(read_labels(list)?)),
        }
    }

    fn tell(&self, evaluation: &Evaluation, choice: LabelsInMetrics) -> Result<(), Failure> {
        if self.json {
            // Straight to text: a `Value` would sort the keys.
            let text = serde_json::to_string_pretty(evaluation).map_err(std::io::Error::from)?;
            screen::print(&format!("{text}\n"))?;
        } else {
            screen::print(&to_text(evaluation, choice))?;
        }
        Ok(())
    }
}

/// Metrics of which less is better.
const LOWER_IS_BETTER: [&str; 4] = ["coverage_error", "hamming_loss", "one_error", "ranking_loss"];

fn to_text(evaluation: &Evaluation, choice: LabelsInMetrics) -> String {
    let which = match choice {
        LabelsInMetrics::Present => " with a positive",
        LabelsInMetrics::All => "",
    };
    let mut text = format!(
        "{}, {}{which}\n\n",
        count(evaluation.rows, "row"),
        count(evaluation.classes, "class")
    );
    for (name, value) in evaluation.metrics.named() {
        let better = if LOWER_IS_BETTER.contains(&name) { "lower" } else { "higher" };
        // Writing to a string cannot fail.
        let _ = match value {
            Some(value) => writeln!(text, "  {name:20} {value:8.4}  {better} is better"),
            None => writeln!(text, "  {name:20} {:>8}  undefined here", "-"),
        };
    }
    if let Some(broken) = evaluation.violations {
        let share = 100.0 * broken.rate.unwrap_or(0.0);
        let rows = thousands(broken.rows as u64);
        let _ = writeln!(text, "\n  {:20} {rows:>8}  {share:.1} % of all", "rows breaking a rule");
    }
    text
}
