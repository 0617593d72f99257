//! `rulebound tune-thresholds`: thresholds that are best for something.

mod report;

use crate::arguments::{Overwriting, RuleArguments, expect_stdin_once};
use crate::choice;
use crate::data::{ForModel, TuningRowArguments};
use crate::failure::Failure;
use crate::note_arguments::NoteArguments;
use crate::screen;
use crate::unusual;
use clap::{Args, ValueEnum};
use report::Report;
use rulebound::apply::ApplyError;
use rulebound::class_files::write_thresholds_as;
use rulebound::class_names::ClassNames;
use rulebound::configuration::LabelPolicy;
use rulebound::dataset::UnusualCells;
use rulebound::evaluate::{Request, Tables};
use rulebound::labelled_scores::LabelledScores;
use rulebound::model::Model;
use rulebound::rule_file::read_labels;
use rulebound::threshold_search::{Objective, ThresholdSearch, read_costs};
use rulebound_core::Thresholds;
use rulebound_io::output::Existing;
use rulebound_io::scores::ScoreKind;
use std::path::{Path, PathBuf};

/// Find the thresholds that are best for F1, a precision floor or costs
///
/// Moves the threshold of one class after the other to the best place on rows whose
/// truth is known, with the rules applied: a threshold moves other classes through
/// the rules. Starts with 0.5 and accepts only improvements. Takes a model and a data
/// source, or a table of raw scores (before the rules; out-of-fold scores, for
/// example) and a table of the truth.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound tune-thresholds --model boxes.rulebound rectangles --split test --out-model tuned.rulebound

  printf 'stomach,abdomen\\n0.8,0.3\\n0.1,0.6\\n0.4,0.9\\n' > scores.csv
  printf 'stomach,abdomen\\n1,1\\n0,1\\n1,1\\n' > truth.csv
  printf 'stomach -> abdomen\\n' > body.rules
  rulebound tune-thresholds --scores scores.csv --truth truth.csv --rules body.rules --out thresholds.csv
  rulebound apply --rules body.rules --scores scores.csv --thresholds thresholds.csv --out coherent.csv

What is searched and how: docs/thresholds.md.")]
pub struct TuneThresholds {
    /// Data to tune on: a name from `rulebound data list`, or a path
    #[arg(value_name = "SOURCE", requires = "model")]
    source: Option<String>,
    /// Model file
    #[arg(long, value_name = "FILE", requires = "source", conflicts_with_all = ["scores", "truth", "logits"])]
    model: Option<PathBuf>,
    #[command(flatten)]
    rows: TuningRowArguments,
    /// Table of raw scores, before the rules
    #[arg(long, value_name = "FILE", required_unless_present = "model", requires = "truth")]
    scores: Option<PathBuf>,
    /// Table of the ground truth: 0s and 1s, the same columns in any order
    #[arg(long, value_name = "FILE", requires = "scores")]
    truth: Option<PathBuf>,
    /// Rules that are applied to the scores. With --model: what labels imply that are written by their names
    /// [default: the rule file of training, if it is there and unchanged]
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    /// The scores are logits, not probabilities
    #[arg(long)]
    logits: bool,
    /// A threshold for each class (the default)
    #[arg(long, conflicts_with = "one")]
    per_class: bool,
    /// One threshold for all classes
    #[arg(long)]
    one: bool,
    /// What is to be as high as possible
    #[arg(long, value_name = "WHAT", default_value = "macro-f1")]
    objective: F1,
    /// Instead: the highest recall with at least this precision, class by class
    #[arg(long, value_name = "P", conflicts_with_all = ["objective", "costs"], value_parser = share)]
    min_precision: Option<f64>,
    /// Instead: the lowest costs; a file with three columns, `class,false_positive,false_negative`,
    /// where the class `*` stands for all others
    #[arg(long, value_name = "FILE", conflicts_with = "objective")]
    costs: Option<PathBuf>,
    /// What to do with rows of the ground truth that break a rule [default: as the model was
    /// trained; keep for tables]
    #[arg(long, value_name = "POLICY", value_parser = choice::label_policy())]
    label_policy: Option<LabelPolicy>,
    /// How often all classes are gone through, at most
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    passes: u16,
    /// Threshold file to write, .csv or .tsv
    #[arg(long, value_name = "FILE", required_unless_present_any = ["out_model", "in_place"])]
    out: Option<PathBuf>,
    /// Model file to write: the model with the new thresholds
    #[arg(long, value_name = "FILE", requires = "model", conflicts_with = "in_place")]
    out_model: Option<PathBuf>,
    #[command(flatten)]
    overwriting: Overwriting,
    #[command(flatten)]
    notes: NoteArguments,
    /// Replace the model by itself with the new thresholds
    #[arg(long, requires = "model")]
    in_place: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum F1 {
    /// The mean of F1 over the classes
    MacroF1,
    /// F1 of all decisions together
    MicroF1,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("expected a number above 0 and up to 1".to_owned()),
    }
}

impl TuneThresholds {
    pub fn run(&self) -> Result<(), Failure> {
        let target = if self.in_place { self.model.as_deref() } else { self.out_model.as_deref() };
        match (&self.model, &self.source, &self.scores, &self.truth) {
            (Some(model), Some(source), ..) => {
                self.expect_free()?;
                self.tune_model(model, source, target)
            }
            (.., Some(scores), Some(truth)) => {
                self.expect_free()?;
                self.tune_tables(scores, truth)
            }
            _ => Err(Failure::Usage("give --model and SOURCE, or --scores and --truth".to_owned())),
        }
    }

    /// Refuses outputs that exist, unless they may be replaced.
    fn expect_free(&self) -> Result<(), Failure> {
        [&self.out, &self.out_model]
            .into_iter()
            .flatten()
            .try_for_each(|path| self.overwriting.permits(path))
    }

    fn tune_model(&self, path: &Path, source: &str, target: Option<&Path>) -> Result<(), Failure> {
        let model = Model::load(path)?.with_settle_limit(self.rule_arguments.settle_limit());
        let read = self.rows.read(source, self.rules.as_deref(), self.label_policy, &model)?;
        let policy = read.policy(&model);
        let ForModel { data, rows, .. } = read;
        let unusual = unusual::of_rows(&model, &data, rows.clone())?;
        unusual::note(&unusual);
        let scored = model.score_under(policy, &data, rows)?;
        // Refuses what is not a number.
        model.predictions_of(&scored, rulebound_core::metrics::LabelsInMetrics::All)?;
        let rows = model.before_thresholds(&scored);
        let objective = self.objective(&model.class_names())?;
        let thresholds = self.tune(&rows, objective, model.thresholds(), target, Some(&unusual))?;
        if let Some(target) = target {
            // In place it is replaced by itself.
            let existing = match self.in_place {
                true => Existing::Replace,
                false => self.overwriting.existing(),
            };
            let model = self.notes.add_to(model.clone().with_thresholds(thresholds))?;
            model.save_as(target, existing)?;
        }
        Ok(())
    }

    fn tune_tables(&self, scores: &Path, truth: &Path) -> Result<(), Failure> {
        expect_stdin_once(&[("--scores", Some(scores)), ("--rules", self.rules.as_deref())])?;
        let rules =
            self.rules.as_deref().map(|rules| self.rule_arguments.read(rules)).transpose()?;
        let id_column = match &self.rows.id_columns[..] {
            [] => None,
            [one] => Some(one.clone()),
            _ => return Err(Failure::Usage("tables have one --id-column".to_owned())),
        };
        // Rules read with a list of classes begin with the same classes.
        let classes = match (&self.rule_arguments.labels, &rules) {
            (None, _) => None,
            (Some(_), Some(file)) => Some(file.parsed.program.labels().clone()),
            (Some(list), None) => Some(read_labels(list)?),
        };
        let kind = if self.logits { ScoreKind::Logit } else { ScoreKind::Probability };
        let tables = Tables::open(Request {
            scores: scores.to_owned(),
            truth: truth.to_owned(),
            kind,
            id_column,
            classes,
            unknown_labels: self.rule_arguments.unknown_labels,
            ontology: rules.as_ref().and_then(|file| file.ontology.clone()),
        })?;
        let program = rules.as_ref().map(|file| &file.parsed.program);
        let policy = self.label_policy.unwrap_or_default();
        if policy != LabelPolicy::Keep && program.is_none() {
            let message = format!("--label-policy {policy} needs --rules, which say what follows");
            return Err(Failure::Usage(message));
        }
        let objective = self.objective(&tables.class_names())?;
        let rows = tables.read(program, policy)?;
        let half = Thresholds::half(rows.labels().len());
        self.tune(&rows, objective, &half, None, None).map(drop)
    }

    /// Searches, writes the file and prints what was found.
    fn tune(
        &self,
        rows: &LabelledScores<'_>,
        objective: Objective,
        before: &Thresholds,
        target: Option<&Path>,
        unusual: Option<&UnusualCells>,
    ) -> Result<Thresholds, Failure> {
        let passes = usize::from(self.passes);
        let search = ThresholdSearch { objective, one: self.one, passes };
        let tuned = search.run(rows, before).map_err(ApplyError::Layer)?;
        if let Some(path) = &self.out {
            let existing = self.overwriting.existing();
            write_thresholds_as(path, rows.labels(), &tuned.thresholds, existing)?;
        }
        let (out, out_model) = (self.out.as_deref(), target);
        let report =
            Report { rows, before, tuned: &tuned, search: &search, unusual, out, out_model };
        match self.json {
            true => screen::json(&report.json())?,
            false => screen::print(&report.text())?,
        }
        Ok(tuned.thresholds)
    }

    fn objective(&self, classes: &ClassNames<'_>) -> Result<Objective, Failure> {
        Ok(match (self.min_precision, &self.costs, self.objective) {
            (Some(least), ..) => Objective::MinPrecision(least),
            (None, Some(path), _) => Objective::Costs(read_costs(path, classes)?),
            (None, None, F1::MacroF1) => Objective::MacroF1,
            (None, None, F1::MicroF1) => Objective::MicroF1,
        })
    }
}
