//! `rulebound evaluate`: how good predictions are.
//!
//! Reading the predictions and printing the result are separate, so that another source of
//! predictions needs only another way to get an [`Evaluation`].

mod extras;
mod required;
mod several;
mod text;

use crate::arguments::{RuleArguments, ScoreArguments, expect_stdin_once};
use crate::choice::{self, one_of};
use crate::data::{ForModel, ModelRequest, RowsUsed, SourceDetails, note_unknown_labels};
use crate::failure::Failure;
use crate::screen;
use crate::text::hidden_note;
use crate::unusual;
use clap::Args;
use extras::{ExtraArguments, Extras};
use rulebound::class_names::ClassNames;
use rulebound::configuration::LabelPolicy;
use rulebound::dataset::UnusualCells;
use rulebound::evaluate::{ModelEvaluation, Request, Tables};
use rulebound::model::Model;
use rulebound::rule_file::{RuleFile, read_labels};
use rulebound_core::metrics::LabelsInMetrics;
use rulebound_core::{LabelId, Labels};
use serde::Serialize;
use serde_json::{Map, Value};
use several::{MeasuredModel, Several};
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
  rulebound evaluate --model boxes.rulebound rectangles --require 'micro_f1>=0.5' --require 'violation_rate<=0'

  printf 'stomach,abdomen\\n0.8,0.3\\n0.1,0.6\\n' > scores.csv
  printf 'stomach,abdomen\\n1,1\\n0,1\\n' > truth.csv
  rulebound evaluate --scores scores.csv --truth truth.csv

  printf 'stomach -> abdomen\\n' > body.rules
  rulebound evaluate --scores scores.csv --truth truth.csv --rules body.rules --json

The metrics, how they treat ties and when they are undefined: docs/metrics.md.
Tables are .csv, .tsv, .parquet or .npy (with --labels), optionally gzipped (.gz); `-` is CSV on standard
input.
Exit codes: 0 success, 1 invalid input, 2 invalid command line, 3 a --require is not met, 4 the machine
failed.")]
pub struct Evaluate {
    /// Data to evaluate the model on: a name from `rulebound data list`, or a path
    #[arg(value_name = "SOURCE", requires = "model")]
    source: Option<String>,
    /// Model file; with several, their metrics side by side and the differences from the first
    #[arg(long, value_name = "FILE", requires = "source", conflicts_with_all = ["scores", "truth", "labels", "format", "logits", "unknown_labels", "rules_as"])]
    model: Vec<PathBuf>,
    /// Split of the source to evaluate on [default: test, or all rows of a source without splits]
    #[arg(long, value_name = "SPLIT", requires = "model", value_parser = choice::split())]
    split: Option<String>,
    #[command(flatten)]
    details: SourceDetails,
    /// Table of scores
    #[arg(long, value_name = "FILE", required_unless_present = "model", requires = "truth", conflicts_with_all = SourceDetails::IDS)]
    scores: Option<PathBuf>,
    /// Table of the ground truth: 0s and 1s, the same columns in any order
    #[arg(long, value_name = "FILE", requires = "scores")]
    truth: Option<PathBuf>,
    /// Rule file; also counts the rows that break a rule. With --model: what labels imply that are written by
    /// their names [default: the rule file of training, if it is there and unchanged]
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    #[command(flatten)]
    score_arguments: ScoreArguments,
    /// Column that identifies rows in both tables; rows are then matched by it
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Classes to count: all, those with at least one positive in the ground truth, or those seen
    /// in training, where some rows had them and some did not
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = one_of::<LabelsInMetrics>(LabelsInMetrics::NAMES))]
    labels_in_metrics: LabelsInMetrics,
    /// Classes seen in training, one per line, for --labels-in-metrics seen with tables; a model
    /// knows them
    #[arg(long, value_name = "FILE", requires = "scores", conflicts_with = "model")]
    labels_seen: Option<PathBuf>,
    #[command(flatten)]
    extra: ExtraArguments,
    /// What to do with rows of the ground truth that break a rule [default: as the model was
    /// trained; complete where labels are written by their names; keep for tables]
    #[arg(long, value_name = "POLICY", value_parser = choice::label_policy())]
    label_policy: Option<LabelPolicy>,
    /// Let the roots of a hierarchy, which every row has, count in the metrics
    #[arg(long, requires = "model")]
    evaluate_roots: bool,
    /// Exit with code 3 if more than this share of the rows have a number far outside of what training
    /// saw: further away than all numbers of its column there are apart (0: none may)
    #[arg(long, value_name = "SHARE", requires = "model", value_parser = unusual::share)]
    max_out_of_range: Option<f64>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl Evaluate {
    pub fn run(&self) -> Result<(), Failure> {
        self.extra.check()?;
        match (&self.model[..], &self.source, &self.scores, &self.truth) {
            ([model], Some(source), ..) => self.evaluate_one(model, source),
            ([_, _, ..], Some(source), ..) => self.evaluate_several(source),
            (.., Some(scores), Some(truth)) => self.evaluate_tables(scores, truth),
            _ => Err(Failure::Usage("give --model and SOURCE, or --scores and --truth".to_owned())),
        }
    }

    fn evaluate_one(&self, model: &Path, source: &str) -> Result<(), Failure> {
        let choice = self.labels_in_metrics;
        let model = self.load(model)?;
        let read = self.rows(source, &[&model])?;
        let policy = read.policy(&model);
        let ForModel { data, rows, used, .. } = read;
        let unusual = unusual::of_rows(&model, &data, rows.clone())?;
        let scored = model.score_under(policy, &data, rows)?;
        let evaluation = model.evaluate_scores(&scored, choice)?;
        let extras = match self.extra.any() {
            true => self.extra.measure(&model.measured(&scored, choice)?)?,
            false => Extras::default(),
        };
        let lines = used.lines().into_iter().chain(unusual::warnings(&unusual));
        let lines: String = lines.map(|line| format!("{line}\n")).collect();
        let extras = self.extra.compared(extras, &evaluation.ensemble);
        let of_rows =
            OfRows { evaluation: &evaluation, source: used, unusual: unusual::to_json(&unusual) };
        self.print(&of_rows, &extras, || {
            lines + &text::with_members(&evaluation, &extras, choice)
        })?;
        self.expect_in_range(&[(None, &unusual)])?;
        extras.expect_met()
    }

    fn evaluate_several(&self, source: &str) -> Result<(), Failure> {
        if self.extra.per_class.is_some() || self.extra.curves.is_some() {
            let message = "--per-class and --curves take one --model at a time";
            return Err(Failure::Usage(message.to_owned()));
        }
        let loaded =
            self.model.iter().map(|path| self.load(path)).collect::<Result<Vec<_>, _>>()?;
        let first = &loaded[0];
        let read = self.rows(source, &loaded.iter().collect::<Vec<_>>())?;
        let policies: Vec<LabelPolicy> = loaded.iter().map(|model| read.policy(model)).collect();
        let ForModel { data, rows, used, .. } = read;
        used.lines().iter().for_each(screen::note);
        let mut models = Vec::new();
        for ((path, model), policy) in self.model.iter().zip(&loaded).zip(policies) {
            let source = used.to(model, first);
            if source.may_be_seen() {
                let path = path.display();
                screen::note(format_args!(
                    "warning: {path} was trained with another split of this source"
                ));
            }
            let unusual = unusual::of_rows(model, &data, rows.clone())?;
            // The logits of its members are not kept.
            let scored = model.score_under(policy, &data, rows.clone())?;
            models.push(MeasuredModel {
                path: path.clone(),
                unusual,
                policy,
                source,
                evaluation: model.evaluate_scores(&scored, self.labels_in_metrics)?,
                rows: model.measured(&scored, self.labels_in_metrics)?.into_owned(),
            });
        }
        note_unknown_labels(&data);
        unusual::note(&models[0].unusual);
        let truth = |model: &MeasuredModel| (model.policy, model.evaluation.ensemble.classes);
        if models.iter().any(|model| truth(model) != truth(&models[0])) {
            screen::note(
                "warning: the models have different classes or label policies, so their figures are not about \
                 the same truth; --label-policy sets one for all",
            );
        }
        let several = Several::measure(&models, &self.extra)?;
        match self.json {
            true => screen::json(&several.json(&used)?)?,
            false => screen::print(&several.text())?,
        }
        let ranges = models.iter().map(|model| (Some(&*model.path), &model.unusual));
        self.expect_in_range(&ranges.collect::<Vec<_>>())?;
        several.expect_met()
    }

    /// The failure for models whose rows are too often far outside of what training saw.
    fn expect_in_range(&self, models: &[(Option<&Path>, &UnusualCells)]) -> Result<(), Failure> {
        let Some(most) = self.max_out_of_range else { return Ok(()) };
        let above = models.iter().filter(|(_, found)| found.out_of_range_share() > most);
        let unmet = above.map(|(model, found)| {
            let of = model.map_or(String::new(), |path| format!("{}: ", path.display()));
            let (rows, all) = (found.out_of_range_rows, found.rows);
            format!("{of}{rows} of {all} rows have numbers far outside of what training saw; at most {} % may", 100.0 * most)
        });
        let unmet: Vec<String> = unmet.collect();
        if unmet.is_empty() { Ok(()) } else { Err(Failure::Unmet(unmet)) }
    }

    /// A model, with the thresholds of the command line if there are any.
    fn load(&self, path: &Path) -> Result<Model, Failure> {
        let model = Model::load(path)?.with_settle_limit(self.rule_arguments.settle_limit());
        let model = if self.evaluate_roots { model.with_evaluated_roots() } else { model };
        let given = self.score_arguments.thresholds.given(&model.class_names())?;
        Ok(match given {
            Some(thresholds) => model.with_thresholds(thresholds),
            None => model,
        })
    }

    /// The data, and which of its rows, for models.
    fn rows(&self, text: &str, models: &[&Model]) -> Result<ForModel, Failure> {
        let identifiers: Vec<String> = self.id_column.iter().cloned().collect();
        let request = ModelRequest {
            identifiers: &identifiers,
            split: self.split.as_deref(),
            rules: self.rules.as_deref(),
            label_policy: self.label_policy,
            is_unlabelled: false,
        };
        self.details.read_for_models(text, &request, models)
    }

    fn evaluate_tables(&self, scores: &Path, truth: &Path) -> Result<(), Failure> {
        expect_stdin_once(&[
            ("--scores", Some(scores)),
            ("--rules", self.rules.as_deref()),
            ("--labels", self.rule_arguments.labels.as_deref()),
            ("--labels-seen", self.labels_seen.as_deref()),
            ("--thresholds", self.score_arguments.thresholds.thresholds.as_deref()),
        ])?;
        if self.rules.is_some() {
            self.rule_arguments.expect_columns()?;
        }
        let rules =
            self.rules.as_deref().map(|rules| self.rule_arguments.read(rules)).transpose()?;
        let tables = Tables::open(Request {
            scores: scores.to_owned(),
            truth: truth.to_owned(),
            kind: self.score_arguments.kind(),
            id_column: self.id_column.clone(),
            classes: self.classes(rules.as_ref())?,
            unknown_labels: self.rule_arguments.unknown_labels,
            ontology: rules.as_ref().and_then(|file| file.ontology.clone()),
        })?;
        let thresholds = self.score_arguments.thresholds(&tables.class_names())?;
        let program = rules.as_ref().map(|file| &file.parsed.program);
        let policy = self.label_policy.unwrap_or_default();
        if policy != LabelPolicy::Keep && program.is_none() {
            let message = format!("--label-policy {policy} needs --rules, which say what follows");
            return Err(Failure::Usage(message));
        }
        let choice = self.labels_in_metrics;
        let seen = self.seen(&tables.class_names())?;
        let rows = tables.read(program, policy)?;
        let rows = match seen {
            Some(seen) => rows.counting(seen),
            None => rows,
        };
        if let Some(note) = hidden_note(rows.hidden(), "the tables").filter(|_| !self.json) {
            screen::note(note);
        }
        let decided = rows.decided(rows.decisions(&thresholds), choice);
        let evaluation = decided.evaluate()?;
        let extras = match self.extra.any() {
            true => self.extra.measure(&decided)?,
            false => Extras::default(),
        };
        let extras = self.extra.compared(extras, &evaluation);
        self.print(&evaluation, &extras, || text::of_one(&evaluation, &extras, choice))?;
        extras.expect_met()
    }

    /// The classes of `--labels-seen`, which `--labels-in-metrics seen` needs.
    fn seen(&self, classes: &ClassNames<'_>) -> Result<Option<Vec<LabelId>>, Failure> {
        let list = match (&self.labels_seen, self.labels_in_metrics) {
            (None, LabelsInMetrics::All | LabelsInMetrics::Present) => return Ok(None),
            (Some(list), LabelsInMetrics::Seen) => list,
            (None, LabelsInMetrics::Seen) => {
                let message = "--labels-in-metrics seen: tables do not say which classes were seen in \
                               training; list them with --labels-seen FILE";
                return Err(Failure::Usage(message.to_owned()));
            }
            (Some(_), other) => {
                let message =
                    format!("--labels-seen: not for --labels-in-metrics {other}, only for seen");
                return Err(Failure::Usage(message));
            }
        };
        let names = read_labels(list)?;
        let mut seen: Vec<LabelId> = Vec::new();
        for name in names.names() {
            let Some(class) = classes.find(name) else {
                let (list, hint) = (list.display(), classes.unknown(name).hint);
                let message =
                    format!("--labels-seen: the class `{name}` of {list} has no column{hint}");
                return Err(Failure::Usage(message));
            };
            if let Some(at) = seen.iter().position(|other| *other == class) {
                let (list, before) = (list.display(), names.names().nth(at).unwrap_or_default());
                let message =
                    format!("--labels-seen: `{before}` and `{name}` of {list} are one class");
                return Err(Failure::Usage(message));
            }
            seen.push(class);
        }
        Ok(Some(seen))
    }

    /// The classes of `--labels`; rules read with that list begin with the same classes.
    fn classes(&self, rules: Option<&RuleFile>) -> Result<Option<Labels>, Failure> {
        match (&self.rule_arguments.labels, rules) {
            (None, _) => Ok(None),
            (Some(_), Some(file)) => Ok(Some(file.parsed.program.labels().clone())),
            (Some(list), None) => Ok(Some(read_labels(list)?)),
        }
    }

    fn print(
        &self,
        evaluation: &impl Serialize,
        extras: &Extras,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            // Not as a `Value`, which would sort the keys.
            screen::json(&Printed { evaluation, extras })?;
        } else {
            screen::print(&text())?;
        }
        Ok(())
    }
}

/// An evaluation, and which rows it is of.
#[derive(Serialize)]
struct OfRows<'a> {
    #[serde(flatten)]
    evaluation: &'a ModelEvaluation,
    source: RowsUsed,
    #[serde(flatten)]
    unusual: Map<String, Value>,
}

/// The evaluation, and what else was asked for.
#[derive(Serialize)]
struct Printed<'a, E> {
    #[serde(flatten)]
    evaluation: &'a E,
    #[serde(flatten)]
    extras: &'a Extras,
}
