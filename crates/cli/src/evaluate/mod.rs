//! `rulebound evaluate`: how good predictions are.
//!
//! Reading the predictions and printing the result are separate, so that another source of
//! predictions needs only another way to get an [`Evaluation`].

mod text;

use crate::arguments::{RuleArguments, ScoreArguments, expect_stdin_once};
use crate::choice::{self, one_of};
use crate::data::{SourceDetails, rows_of, source};
use crate::failure::Failure;
use crate::screen;
use clap::Args;
use rulebound::evaluate::{Evaluation, ModelEvaluation, Request, Tables};
use rulebound::model::Model;
use rulebound::rule_file::{RuleFile, read_labels};
use rulebound_core::metrics::LabelsInMetrics;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Measure a model, or the scores of any other tool, against the ground truth
///
/// With --model and a data source: prints ten metrics of the model's predictions on
/// one split, and how many rows break a rule; for a model with several members, of
/// the ensemble and of its members. With --scores and --truth: reads a
/// table of scores and a table of 0s and 1s with the same columns, one per class,
/// in any order, and prints ten metrics; with --rules, also how many rows break a
/// rule. Rows are matched by position, or by an id column.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound evaluate --model boxes.rulebound rectangles --split test

  printf 'stomach,abdomen\\n0.8,0.3\\n0.1,0.6\\n' > scores.csv
  printf 'stomach,abdomen\\n1,1\\n0,1\\n' > truth.csv
  rulebound evaluate --scores scores.csv --truth truth.csv

  printf 'stomach -> abdomen\\n' > body.rules
  rulebound evaluate --scores scores.csv --truth truth.csv --rules body.rules --json

The metrics, how they treat ties and when they are undefined: docs/metrics.md.
Tables are .csv, .tsv or .parquet, optionally gzipped (.gz); `-` is CSV on standard input.
Exit codes: 0 success, 1 invalid input, 2 invalid command line.")]
pub struct Evaluate {
    /// Data to evaluate the model on: a name from `rulebound data list`, or a path
    #[arg(value_name = "SOURCE", requires = "model")]
    source: Option<String>,
    /// Model file
    #[arg(long, value_name = "FILE", requires = "source", conflicts_with_all = ["scores", "truth", "rules", "labels", "format", "logits"])]
    model: Option<PathBuf>,
    /// Split of the source to evaluate on [default: test]
    #[arg(long, value_name = "SPLIT", requires = "model", value_parser = choice::split())]
    split: Option<String>,
    #[command(flatten)]
    details: SourceDetails,
    /// Table of scores
    #[arg(long, value_name = "FILE", required_unless_present = "model", requires = "truth")]
    scores: Option<PathBuf>,
    /// Table of the ground truth: 0s and 1s, the same columns in any order
    #[arg(long, value_name = "FILE", requires = "scores")]
    truth: Option<PathBuf>,
    /// Rule file; also counts the rows that break a rule
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    #[command(flatten)]
    score_arguments: ScoreArguments,
    /// Column that identifies rows in both tables; rows are then matched by it
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Classes to count: all, or those with at least one positive in the ground truth
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = one_of::<LabelsInMetrics>(LabelsInMetrics::NAMES))]
    labels_in_metrics: LabelsInMetrics,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl Evaluate {
    pub fn run(&self) -> Result<(), Failure> {
        let choice = self.labels_in_metrics;
        match (&self.model, &self.source, &self.scores, &self.truth) {
            (Some(model), Some(source), ..) => {
                let evaluation = self.evaluate_source(model, source, choice)?;
                self.print(&evaluation, || text::with_members(&evaluation, choice))
            }
            (.., Some(scores), Some(truth)) => {
                let evaluation = self.evaluate_tables(scores, truth, choice)?;
                self.print(&evaluation, || text::of_one(&evaluation, choice))
            }
            _ => Err(Failure::Usage("give --model and SOURCE, or --scores and --truth".to_owned())),
        }
    }

    fn evaluate_source(
        &self,
        model: &Path,
        text: &str,
        choice: LabelsInMetrics,
    ) -> Result<ModelEvaluation, Failure> {
        let model = Model::load(model)?;
        let given = self.score_arguments.thresholds.given(model.labels())?;
        let model = match given {
            Some(thresholds) => model.with_thresholds(thresholds),
            None => model,
        };
        let identifiers: Vec<String> = self.id_column.iter().cloned().collect();
        let data = self.details.read(&source(text), &identifiers, None)?;
        let rows = rows_of(&data, self.split.as_deref().unwrap_or("test"))?;
        Ok(model.evaluate(&data, rows, choice)?)
    }

    fn evaluate_tables(
        &self,
        scores: &Path,
        truth: &Path,
        choice: LabelsInMetrics,
    ) -> Result<Evaluation, Failure> {
        expect_stdin_once(&[
            ("--scores", Some(scores)),
            ("--rules", self.rules.as_deref()),
            ("--labels", self.rule_arguments.labels.as_deref()),
            ("--thresholds", self.score_arguments.thresholds.thresholds.as_deref()),
        ])?;
        let rules =
            self.rules.as_deref().map(|rules| self.rule_arguments.read(rules)).transpose()?;
        let tables = Tables::open(Request {
            scores: scores.to_owned(),
            truth: truth.to_owned(),
            kind: self.score_arguments.kind(),
            id_column: self.id_column.clone(),
            classes: self.classes(rules.as_ref())?,
        })?;
        let thresholds = self.score_arguments.thresholds(tables.labels())?;
        let program = rules.as_ref().map(|file| &file.parsed.program);
        Ok(tables.evaluate(program, &thresholds, choice)?)
    }

    /// The classes of `--labels`; rules read with that list begin with the same classes.
    fn classes(&self, rules: Option<&RuleFile>) -> Result<Option<rulebound_core::Labels>, Failure> {
        match (&self.rule_arguments.labels, rules) {
            (None, _) => Ok(None),
            (Some(_), Some(file)) => Ok(Some(file.parsed.program.labels().clone())),
            (Some(list), None) => Ok(Some(read_labels(list)?)),
        }
    }

    fn print(
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
