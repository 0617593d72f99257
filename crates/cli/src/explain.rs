//! `rulebound explain`: why a class is predicted in a row, or why it is not.

mod tree;

pub use tree::draw;

use crate::arguments::{Meaning, Reading, expect_stdin_once, unknown_class};
use crate::failure::Failure;
use crate::screen;
use clap::Args;
use rulebound::apply::{RankedMargin, Request, Scale, read_row};
use rulebound_core::{ConstraintLayer, Derivation, LabelId, Literal, Margin, Program, RuleId};
use serde_json::{Value, json};
use std::collections::BTreeSet;
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
        let request = Request {
            scores: self.scores.clone(),
            out: PathBuf::new(),
            decisions: None,
            delegates: None,
            kind: self.meaning.kind(),
            id_column: self.id_column.clone(),
        };
        let (scores, narrow) = read_row(program, &request, self.row)?;
        let scale = Scale::new(request.kind, thresholds.clone(), narrow);
        let layer = ConstraintLayer::new(program, thresholds);
        let row = Row::new(program, &layer, scale, scores);
        let labels = self.chosen(&row)?;
        if self.json {
            screen::json(&row.to_json(self.row, &labels))?;
        } else if labels.is_empty() {
            screen::print(&format!("row {}: the rules change nothing\n", self.row))?;
        } else {
            screen::print(&draw(&row, &labels, self.depth as usize))?;
        }
        Ok(())
    }

    /// The classes to explain.
    fn chosen(&self, row: &Row<'_>) -> Result<Vec<LabelId>, Failure> {
        let labels = row.program.labels();
        if self.classes.is_empty() {
            return Ok(labels
                .ids()
                .filter(|&label| row.derivation.rule(label).is_some())
                .collect());
        }
        let find = |name: &String| labels.find(name).ok_or_else(|| unknown_class(name, labels));
        self.classes.iter().map(find).collect()
    }
}

/// One row with all that can be said about it.
pub struct Row<'a> {
    pub program: &'a Program,
    pub derivation: Derivation<RankedMargin>,
    scale: Scale,
    scores: Vec<f64>,
}

impl<'a> Row<'a> {
    pub fn new(
        program: &'a Program,
        layer: &ConstraintLayer,
        scale: Scale,
        scores: Vec<f64>,
    ) -> Self {
        let margin = |(label, &score): (LabelId, &f64)| scale.margin(label, score);
        let margins: Vec<RankedMargin> = program.labels().ids().zip(&scores).map(margin).collect();
        let derivation = Derivation::new(program, layer, &margins);
        Self { program, derivation, scale, scores }
    }

    /// What the network said.
    pub fn own(&self, label: LabelId) -> f64 {
        self.scores[label.index()]
    }

    /// The coherent score.
    pub fn score(&self, label: LabelId) -> f64 {
        let cell = self.scale.cell(label, self.derivation.delegate(label), &self.scores);
        cell.value(&self.scores, label.index())
    }

    /// What a literal is worth, as a score of its class.
    pub fn literal(&self, literal: Literal) -> f64 {
        self.scale.literal(literal, self.score(literal.label()))
    }

    pub fn predicted(&self, label: LabelId) -> bool {
        self.derivation.value(label).is_predicted()
    }

    /// The rule that gave the class its score, or else comes closest to it,
    /// with the literal that its value hangs on.
    pub fn rule(&self, label: LabelId) -> Option<(RuleId, Option<Literal>)> {
        let Some(rule) = self.derivation.rule(label) else {
            let attempt = self.derivation.best_attempt(self.program, label)?;
            return Some((attempt.rule, attempt.limit));
        };
        let value = self.derivation.value(label);
        let mut body = self.program.rule(rule).body().iter().copied();
        Some((rule, body.find(|&literal| self.derivation.literal(literal) == value)))
    }

    /// The classes asked for, and every class that they are derived from.
    fn to_json(&self, number: u64, labels: &[LabelId]) -> Value {
        let mut open: Vec<LabelId> = labels.to_vec();
        let mut told: BTreeSet<LabelId> = labels.iter().copied().collect();
        let mut derivation = serde_json::Map::new();
        while let Some(label) = open.pop() {
            derivation.insert(self.program.labels().name(label).to_owned(), self.class_json(label));
            let rule = self.derivation.rule(label);
            for literal in rule.into_iter().flat_map(|rule| self.program.rule(rule).body()) {
                if told.insert(literal.label()) {
                    open.push(literal.label());
                }
            }
        }
        let names: Vec<&str> =
            labels.iter().map(|&label| self.program.labels().name(label)).collect();
        json!({ "row": number, "labels": names, "derivation": derivation })
    }

    fn class_json(&self, label: LabelId) -> Value {
        let labels = self.program.labels();
        let rule_json = |(rule, limit): (RuleId, Option<Literal>)| {
            let body = self.program.rule(rule).body().iter().map(|&literal| {
                json!({
                    "literal": literal.display(labels).to_string(),
                    "score": number(self.literal(literal)),
                    "limits": Some(literal) == limit,
                })
            });
            json!({
                "rule": self.program.rule(rule).display(labels).to_string(),
                "line": self.program.span(rule).line,
                "body": body.collect::<Vec<_>>(),
            })
        };
        let by_rule = self.derivation.rule(label).is_some();
        let found = self.rule(label).map(rule_json);
        json!({
            "score": number(self.score(label)),
            "network": number(self.own(label)),
            "predicted": self.predicted(label),
            "delegate": self.derivation.delegate(label).display(labels).to_string(),
            "rule": if by_rule { found.clone() } else { None },
            "closest_rule": if by_rule { None } else { found },
        })
    }
}

/// JSON has no infinities; they are written as text.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}
