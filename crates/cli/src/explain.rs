//! `rulebound explain`: why a class is predicted in a row, or why it is not.

use crate::arguments::{RuleArguments, ScoreArguments, expect_stdin_once, unknown_class};
use crate::failure::Failure;
use crate::screen;
use crate::text::hidden_note;
use clap::Args;
use rulebound::apply::{OpenScores, ScoreSource};
use rulebound::explain::{ExplainedClass, Explanation};
use rulebound_core::LabelId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Explain one row: which rules gave each class its score
///
/// Draws the derivation of each class as a tree: its score, the rule with its
/// line number, the scores of the body, down to the model's own scores. For a
/// class that is not predicted, shows the rule that comes closest and the literal
/// that blocks it.
#[derive(Args)]
#[command(after_help = "Example:
  printf 'stomach -> abdomen\\nabdomen, not upper -> lower\\n' > body.rules
  printf 'stomach,abdomen,upper,lower\\n0.8,0.3,0.1,0.2\\n' > scores.csv
  rulebound explain --rules body.rules --scores scores.csv --row 1 --label lower")]
pub struct Explain {
    /// Rule file
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    /// Table of scores, as for `apply`
    #[arg(long, value_name = "FILE")]
    scores: PathBuf,
    /// Row number, from 1; the header is not counted
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    row: u64,
    /// Class to explain (repeatable) [default: all that the rules changed]
    #[arg(long = "label", value_name = "CLASS")]
    classes: Vec<String>,
    #[command(flatten)]
    score_arguments: ScoreArguments,
    /// Column that identifies rows, and so is not a class
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Maximum depth of a tree, in rules
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u64).range(1..=1000))]
    depth: u64,
    /// Print the derivation as JSON
    #[arg(long)]
    pub json: bool,
}

impl Explain {
    pub fn run(&self) -> Result<(), Failure> {
        expect_stdin_once(&[("--rules", Some(&self.rules)), ("--scores", Some(&self.scores))])?;
        self.rule_arguments.expect_columns()?;
        let file = self.rule_arguments.read(&self.rules)?;
        let program = &file.parsed.program;
        let thresholds = self.score_arguments.thresholds(program.labels())?;
        let source = ScoreSource {
            scores: self.scores.clone(),
            kind: self.score_arguments.kind(),
            id_column: self.id_column.clone(),
            names: self.rule_arguments.names(&file)?,
        };
        let unknown = self.rule_arguments.unknown_labels;
        let mut table = OpenScores::open(program, &thresholds, &source, unknown)?;
        let (scores, is_f32) = table.row(self.row)?;
        let hidden = table.hidden() + file.unknown.len();
        if let Some(note) = hidden_note(hidden, "the table").filter(|_| !self.json) {
            anstream::eprintln!("{note}");
        }
        let (program, thresholds) = (table.program(), table.thresholds().clone());
        let row = Explanation::new(program, thresholds, source.kind, scores, is_f32);
        let labels = self.chosen(&row)?;
        if self.json {
            screen::json(&to_json(&row, self.row, &labels))?;
        } else if labels.is_empty() {
            screen::print(&format!("row {}: the rules change nothing\n", self.row))?;
        } else {
            screen::print(&row.tree(&labels, self.depth as usize))?;
        }
        Ok(())
    }

    /// The classes to explain.
    fn chosen(&self, row: &Explanation<'_>) -> Result<Vec<LabelId>, Failure> {
        let labels = row.program().labels();
        if self.classes.is_empty() {
            return Ok(row.changed());
        }
        let find = |name: &String| labels.find(name).ok_or_else(|| unknown_class(name, labels));
        self.classes.iter().map(find).collect()
    }
}

/// The requested classes, and every class they are derived from.
fn to_json(explanation: &Explanation<'_>, row: u64, labels: &[LabelId]) -> Value {
    let names = explanation.program().labels();
    let explained = explanation.with_origins(labels);
    let explained = explained.iter().map(|&label| (names.name(label), explanation.class(label)));
    let derivation: BTreeMap<&str, ExplainedClass> = explained.collect();
    let names: Vec<&str> = labels.iter().map(|&label| names.name(label)).collect();
    json!({ "row": row, "labels": names, "derivation": derivation })
}
