//! `rulebound explain`: why a class is predicted in a row, or why it is not.

use crate::arguments::{Meaning, Reading, expect_stdin_once, unknown_class};
use crate::failure::Failure;
use crate::screen;
use clap::Args;
use rulebound::apply::{ScoreSource, read_row};
use rulebound::explain::{ExplainedClass, Explanation};
use rulebound_core::LabelId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Explain one row: which rules gave which class its score
///
/// Draws the derivation of each class as a tree: its score, the rule and the
/// line it is on, the scores of the body, down to what the network itself said.
/// For a class that is not predicted: the rule that comes closest and the
/// literal that blocks it.
#[derive(Args)]
#[command(after_help = "Example:
  printf 'stomach -> abdomen\\nabdomen, not upper -> lower\\n' > body.rules
  printf 'stomach,abdomen,upper,lower\\n0.8,0.3,0.1,0.2\\n' > scores.csv
  rulebound explain --rules body.rules --scores scores.csv --row 1 --label lower")]
pub struct Explain {
    /// The file of rules
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The table of scores, as for `apply`
    #[arg(long, value_name = "FILE")]
    scores: PathBuf,
    /// The row, from 1; the header is not counted
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    row: u64,
    /// The class to explain, may be repeated; by default all that the rules changed
    #[arg(long = "label", value_name = "CLASS")]
    classes: Vec<String>,
    #[command(flatten)]
    meaning: Meaning,
    /// Column that identifies rows, and so is no class
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// How many rules deep a tree is drawn
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u64).range(1..=1000))]
    depth: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Explain {
    pub fn run(&self) -> Result<(), Failure> {
        expect_stdin_once(&[("--rules", Some(&self.rules)), ("--scores", Some(&self.scores))])?;
        let file = self.reading.read(&self.rules)?;
        let program = &file.parsed.program;
        let thresholds = self.meaning.thresholds(program.labels())?;
        let source = ScoreSource {
            scores: self.scores.clone(),
            kind: self.meaning.kind(),
            id_column: self.id_column.clone(),
        };
        let (scores, is_f32) = read_row(program, &source, self.row)?;
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

/// The classes asked for, and every class that they are derived from.
fn to_json(explanation: &Explanation<'_>, row: u64, labels: &[LabelId]) -> Value {
    let names = explanation.program().labels();
    let told = explanation.with_origins(labels);
    let told = told.iter().map(|&label| (names.name(label), explanation.class(label)));
    let derivation: BTreeMap<&str, ExplainedClass> = told.collect();
    let names: Vec<&str> = labels.iter().map(|&label| names.name(label)).collect();
    json!({ "row": row, "labels": names, "derivation": derivation })
}
