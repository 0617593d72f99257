//! `rulebound evaluate`: what predictions are worth.
//!
//! Reading what is to be evaluated and telling the result are apart, so that another source of
//! predictions needs only another way to get an [`Evaluation`].

use crate::arguments::{Meaning, Reading, expect_stdin_once};
use crate::data::{SourceDetails, rows_of, source};
use crate::failure::Failure;
use crate::screen;
use crate::text::{count, thousands};
use clap::Args;
use rulebound::evaluate::{Evaluation, ModelEvaluation, Request, Tables};
use rulebound::model::Model;
use rulebound::rule_file::{RuleFile, read_labels};
use rulebound_core::metrics::{Direction, LabelsInMetrics};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Measure a model, or the scores of any other tool, against the truth
///
/// With --model and a source of data: ten metrics of the model's predictions for
/// one of its splits, and how many rows break a rule; where the model has several
/// members, of all together and of each. With --scores and --truth: reads a table of scores and a table of 0 and 1 with the same columns, one per
/// class, in any order, and prints ten metrics; with rules, also how many rows
/// break one. Rows are matched by their places, or by an id column.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound evaluate --model boxes.rulebound rectangles --split test

  printf 'stomach,abdomen\\n0.8,0.3\\n0.1,0.6\\n' > scores.csv
  printf 'stomach,abdomen\\n1,1\\n0,1\\n' > truth.csv
  rulebound evaluate --scores scores.csv --truth truth.csv

  printf 'stomach -> abdomen\\n' > body.rules
  rulebound evaluate --scores scores.csv --truth truth.csv --rules body.rules --json

What the metrics are, how they treat ties and when they are undefined: docs/metrics.md.
Tables are .csv, .tsv or .parquet, also with .gz; `-` is CSV on standard input.
Exit code 0: fine, 1: the input is wrong, 2: the command line is wrong.")]
pub struct Evaluate {
    /// The data to evaluate the model on: a name of `rulebound data list`, or a path
    #[arg(value_name = "SOURCE", requires = "model")]
    source: Option<String>,
    /// The model
    #[arg(long, value_name = "FILE", requires = "source", conflicts_with_all = ["scores", "truth", "rules", "labels", "format", "logits"])]
    model: Option<PathBuf>,
    /// Which rows of the source: train, valid, test, all [default: test]
    #[arg(long, value_name = "SPLIT", requires = "model", value_parser = ["train", "valid", "test", "all"])]
    split: Option<String>,
    #[command(flatten)]
    details: SourceDetails,
    /// The table of scores
    #[arg(long, value_name = "FILE", required_unless_present = "model", requires = "truth")]
    scores: Option<PathBuf>,
    /// The table of truth: 0 and 1, the same columns in any order
    #[arg(long, value_name = "FILE", requires = "scores")]
    truth: Option<PathBuf>,
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
    /// Which classes count: all, or those with at least one positive in the truth
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = ["present", "all"])]
    labels_in_metrics: String,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl Evaluate {
    pub fn run(&self) -> Result<(), Failure> {
        let choice = self.labels_in_metrics.parse::<LabelsInMetrics>();
        let choice = choice.map_err(|error| Failure::Usage(error.to_string()))?;
        match (&self.model, &self.source, &self.scores, &self.truth) {
            (Some(model), Some(source), ..) => {
                let evaluation = self.of_model(model, source, choice)?;
                self.tell(&evaluation, || of_members(&evaluation, choice))
            }
            (.., Some(scores), Some(truth)) => {
                let evaluation = self.of_tables(scores, truth, choice)?;
                self.tell(&evaluation, || to_text(&evaluation, choice))
            }
            _ => Err(Failure::Usage("--model and SOURCE, or --scores and --truth".to_owned())),
        }
    }

    fn of_model(
        &self,
        model: &Path,
        text: &str,
        choice: LabelsInMetrics,
    ) -> Result<ModelEvaluation, Failure> {
        let model = Model::load(model)?;
        let given = self.meaning.thresholds.given(model.labels())?;
        let model = match given {
            Some(thresholds) => model.with_thresholds(thresholds),
            None => model,
        };
        let identifiers: Vec<String> = self.id_column.iter().cloned().collect();
        let data = self.details.read(&source(text), &identifiers, None)?;
        let rows = rows_of(&data, self.split.as_deref().unwrap_or("test"))?;
        Ok(model.evaluate(&data, rows, choice)?)
    }

    fn of_tables(
        &self,
        scores: &Path,
        truth: &Path,
        choice: LabelsInMetrics,
    ) -> Result<Evaluation, Failure> {
        expect_stdin_once(&[
            ("--scores", Some(scores)),
            ("--rules", self.rules.as_deref()),
            ("--labels", self.reading.labels.as_deref()),
            ("--thresholds", self.meaning.thresholds.thresholds.as_deref()),
        ])?;
        let rules = self.rules.as_deref().map(|rules| self.reading.read(rules)).transpose()?;
        let tables = Tables::open(Request {
            scores: scores.to_owned(),
            truth: truth.to_owned(),
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

    fn tell(
        &self,
        evaluation: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            // Straight to text: a `Value` would sort the keys.
            let text = serde_json::to_string_pretty(evaluation).map_err(std::io::Error::from)?;
            screen::print(&format!("{text}\n"))?;
        } else {
            screen::print(&text())?;
        }
        Ok(())
    }
}

/// The ensemble, with the members' mean and deviation beside it.
fn of_members(evaluation: &ModelEvaluation, choice: LabelsInMetrics) -> String {
    let mut text = to_text(&evaluation.ensemble, choice);
    let Some(members) = &evaluation.members else { return text };
    let count = members.each.len();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\nThat is the ensemble. Its {count} members alone:\n");
    let pairs = members.mean.iter().zip(members.deviation.iter());
    for ((metric, mean), (_, deviation)) in pairs {
        let _ = match (mean, deviation) {
            (Some(mean), Some(deviation)) => {
                writeln!(text, "  {metric:20} {mean:8.4}  ± {deviation:.4}")
            }
            _ => writeln!(text, "  {metric:20} {:>8}  undefined here", "-"),
        };
    }
    let broken: usize = members.each.iter().filter_map(|e| e.violations).map(|v| v.rows).sum();
    let _ = writeln!(text, "\n  {:20} {:>8}", "rows breaking a rule", thousands(broken as u64));
    text
}

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
    for (metric, value) in evaluation.metrics.iter() {
        let better = match metric.direction() {
            Direction::Lower => "lower",
            Direction::Higher => "higher",
        };
        // Writing to a string cannot fail.
        let _ = match value {
            Some(value) => writeln!(text, "  {metric:20} {value:8.4}  {better} is better"),
            None => writeln!(text, "  {metric:20} {:>8}  undefined here", "-"),
        };
    }
    if let Some(broken) = evaluation.violations {
        let share = 100.0 * broken.rate.unwrap_or(0.0);
        let rows = thousands(broken.rows as u64);
        let _ = writeln!(text, "\n  {:20} {rows:>8}  {share:.1} % of all", "rows breaking a rule");
    }
    text
}
