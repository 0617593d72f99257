//! `rulebound explain`: why a class is predicted in a row, or why it is not.

mod features;
mod of_model;
mod of_network;

use crate::arguments::{
    RuleArguments, ScoreArguments, ThresholdArguments, class_of, expect_stdin_once,
};
use crate::choice::{self, one_of};
use crate::data::SourceDetails;
use crate::failure::Failure;
use crate::hidden_classes::HiddenClasses;
use crate::network::NetworkArguments;
use crate::screen;
use clap::Args;
use rulebound::apply::{ApplyError, OpenScores, ScoreSource};
use rulebound::attribution::AttributionMethod;
use rulebound::class_names::ClassNames;
use rulebound::explain::{ExplainedClass, Explanation};
use rulebound_core::LabelId;
use rulebound_io::table::RowKey;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Explain one row: which rules gave each class its score
///
/// Draws the derivation of each class as a tree: its score, the rule with its
/// line number, the scores of the body, down to the model's own scores. For a
/// class that is not predicted, shows the rule that comes closest and the literal
/// that blocks it. With --model, also shows which columns of the row moved the class
/// whose score decided.
#[derive(Args)]
#[command(after_help = "Example:
  printf 'stomach -> abdomen\\nabdomen, not upper -> lower\\n' > body.rules
  printf 'stomach,abdomen,upper,lower\\n0.8,0.3,0.1,0.2\\n' > scores.csv
  rulebound explain --rules body.rules --scores scores.csv --row 1 --label lower

  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  printf 'id,x,y\\np,0.5,0.5\\nq,0.1,0.9\\n' > points.csv
  rulebound explain --model boxes.rulebound points.csv --id q
  rulebound explain --network h.onnx --rules body.rules --labels names.txt points.csv --id q

The parts of columns (--attribution):
  gradients   integrated gradients from the baseline to the row; they add up to the difference
              of the two logits
  occlusion   how much the logit falls if this column alone is replaced by its baseline
The baseline is the row whose encoded features are all 0: with standard scaling, the mean of the
training rows. Both describe the network, not what causes what in the world.")]
pub struct Explain {
    /// Rows that the model is asked about: a file, `-`, or a data source
    #[arg(value_name = "INPUT", conflicts_with = "scores")]
    input: Option<String>,
    /// Model file
    #[arg(long, value_name = "FILE", requires = "input", conflicts_with_all = ["rules", "scores", "labels", "format", "logits", "network"])]
    model: Option<PathBuf>,
    /// Rule file
    #[arg(long, value_name = "FILE", required_unless_present = "model")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    /// Table of scores, as for `apply`
    #[arg(long, value_name = "FILE", conflicts_with = "network", requires = "rules")]
    scores: Option<PathBuf>,
    /// Row number, from 1; the header is not counted
    #[arg(long, value_name = "N", required_unless_present = "id", conflicts_with = "id", value_parser = clap::value_parser!(u64).range(1..))]
    row: Option<u64>,
    /// Id of the row: the text in its id column
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Class to explain (repeatable) [default: all that the rules changed; with --model also those
    /// predicted]
    #[arg(long = "label", value_name = "CLASS")]
    classes: Vec<String>,
    /// With --model: how the part of a column is measured
    #[arg(long, value_name = "METHOD", default_value = "gradients", value_parser = one_of::<AttributionMethod>(AttributionMethod::NAMES))]
    attribution: AttributionMethod,
    /// With --model: columns listed for each deciding class
    #[arg(long, value_name = "N", default_value = "10")]
    top_features: usize,
    #[command(flatten)]
    score_arguments: ScoreArguments,
    /// Column that identifies rows, and so is not a class [default with --model: as for `predict`]
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Split in which the row is, for a source that has splits [default: test]
    #[arg(long, value_name = "SPLIT", requires = "input", value_parser = choice::split())]
    split: Option<String>,
    #[command(flatten)]
    network: NetworkArguments,
    #[command(flatten)]
    details: SourceDetails,
    /// Maximum depth of a tree, in rules
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u64).range(1..=1000))]
    depth: u64,
    /// Print the derivation as JSON
    #[arg(long)]
    pub json: bool,
}

impl Explain {
    pub fn run(&self) -> Result<(), Failure> {
        match (&self.model, &self.input, &self.rules, &self.scores) {
            (Some(model), Some(input), ..) => self.explain_model(model, input),
            (_, None, Some(rules), Some(scores)) => self.explain_scores(rules, scores),
            (_, Some(input), Some(rules), None) => self.explain_network(rules, input),
            _ => Err(Failure::Usage(
                "give --model and INPUT, or --rules and --scores, or --network, --rules and INPUT"
                    .to_owned(),
            )),
        }
    }

    fn explain_scores(&self, rules: &Path, scores: &Path) -> Result<(), Failure> {
        expect_stdin_once(&[("--rules", Some(rules)), ("--scores", Some(scores))])?;
        if self.id.is_some() && self.id_column.is_none() {
            let message = "--id: say with --id-column which column identifies the rows";
            return Err(Failure::Usage(message.to_owned()));
        }
        self.rule_arguments.expect_columns()?;
        let file = self.rule_arguments.read(rules)?;
        let program = &file.parsed.program;
        let halves = ThresholdArguments::default().thresholds(&file.class_names())?;
        let source = ScoreSource {
            scores: scores.to_path_buf(),
            kind: self.score_arguments.kind(),
            id_column: self.id_column.clone(),
            names: self.rule_arguments.names(&file)?,
            ontology: file.ontology.clone(),
        };
        let unknown = self.rule_arguments.unknown_labels;
        let table = OpenScores::open(program, &halves, &source, unknown)?;
        let thresholds = self.score_arguments.thresholds(&table.class_names())?;
        let mut table = table.with_thresholds(thresholds);
        let found = table.row(&self.key())?;
        if !self.json {
            HiddenClasses::new(&file, table.hidden()).tell("the table");
        }
        let (program, thresholds) = (table.program(), table.thresholds().clone());
        let row = Explanation::new(program, thresholds, source.kind, found.scores, found.is_f32)
            .map_err(ApplyError::from)?;
        let labels = self.chosen(&table.class_names(), row.changed())?;
        if self.json {
            screen::json(&to_json(&row, found.number, &labels))?;
        } else if labels.is_empty() {
            screen::print(&format!("row {}: the rules change nothing\n", found.number))?;
        } else {
            screen::print(&row.tree(&labels, self.depth as usize))?;
        }
        Ok(())
    }

    /// The row to explain.
    fn key(&self) -> RowKey {
        match &self.id {
            Some(id) => RowKey::Id(id.clone()),
            None => RowKey::Number(self.row.unwrap_or(1)),
        }
    }

    /// The classes to explain.
    fn chosen(
        &self,
        names: &ClassNames<'_>,
        default: Vec<LabelId>,
    ) -> Result<Vec<LabelId>, Failure> {
        if self.classes.is_empty() {
            return Ok(default);
        }
        self.classes.iter().map(|name| class_of(names, name)).collect()
    }
}

/// The requested classes, and every class they are derived from.
fn to_json(explanation: &Explanation<'_>, row: u64, labels: &[LabelId]) -> Value {
    let names = explanation.program().labels();
    let explained = explanation.with_origins(labels);
    let explained = explained.iter().map(|&label| (names.name(label), explanation.class(label)));
    let derivation: BTreeMap<&str, ExplainedClass> = explained.collect();
    let names: Vec<&str> = labels.iter().map(|&label| names.name(label)).collect();
    json!({ "row": row, "class_names": names, "derivation": derivation })
}
