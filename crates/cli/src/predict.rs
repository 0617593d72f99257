//! `rulebound predict`: rows of features in, coherent predictions out.

use crate::arguments::{
    DeviceArguments, RuleArguments, ThresholdArguments, UnsettledArguments, note_unsettled,
    use_threads,
};
use crate::choice::{self, one_of};
use crate::data::{RowSource, SourceDetails};
use crate::failure::Failure;
use crate::interrupt::end_on_signal;
use crate::network::{NetworkArguments, NetworkRows};
use crate::score_changes;
use crate::screen;
use crate::text::{count, thousands};
use crate::unusual;
use clap::Args;
use rulebound::class_names::ClassNames;
use rulebound::dataset::{FileFormat, RowReader};
use rulebound::device::Device;
use rulebound::model::Model;
use rulebound::predict::{PredictionPaths, PredictionSummary, Predictor};
use rulebound_io::input::is_standard;
use rulebound_io::table::Layout;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// The formats of text that can be read from standard input.
const STREAMED: [&str; 4] = ["csv", "tsv", "svmlight", "arff"];

/// Predict the classes of new rows with a trained model
///
/// Reads any table or data set that has the model's feature columns, in any order;
/// other columns, such as labels, are ignored. Writes a probability for every class.
/// No prediction breaks a rule of the model. With --network, any network in an ONNX file takes
/// the place of the model; onnxruntime, which must be installed, runs it.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  printf 'id,x,y\\np,0.5,0.5\\nq,0.1,0.9\\n' > points.csv
  rulebound predict --model boxes.rulebound points.csv --out scores.csv --decisions classes.csv
  rulebound predict --model boxes.rulebound points.csv --out top.csv --top 1
  cat points.csv | rulebound predict --model boxes.rulebound - --out -
  cat words.svm | rulebound predict --model tags.rulebound - --in-format svmlight --out -
  rulebound predict --network h.onnx --rules body.rules --labels names.txt points.csv --out scores.csv

Input: .csv, .tsv, .parquet, .npy, .npz, .arff, .svm or .libsvm, optionally gzipped (.gz), or a name from
`rulebound data list`; `-` is standard input: CSV, or what --in-format says.
Output: .csv, .tsv, .parquet or .npy (numbers only), optionally gzipped (.gz); `-` is CSV on standard output.
Exit codes: 0 success, 1 invalid input, 2 invalid command line, 3 --max-out-of-range is exceeded, 4 the
machine failed, 130 interrupted.")]
pub struct Predict {
    /// Model file
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "network",
        conflicts_with_all = ["network", "labels", "format", "unknown_labels", "rules_as"]
    )]
    model: Option<PathBuf>,
    /// Rows to predict: a file, `-`, or a data source
    #[arg(value_name = "INPUT")]
    input: String,
    /// Output file for the probabilities
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Format of outputs whose name does not say it, such as `-` [default: csv for those]
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<Layout>(Layout::NAMES))]
    out_format: Option<Layout>,
    /// Also write the decisions (0 or 1) to this file
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Also write which literal decided each class: `stomach`, `not upper`, or a fact `-> head`
    #[arg(long, value_name = "FILE")]
    delegates: Option<PathBuf>,
    /// Also write the model's own scores, before the rules, to this file
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
    /// Write only the K highest-scoring classes of each row, one per line; with all of the body of a rule
    /// its head is written, if need be beyond K
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// Column that identifies rows; it is copied to the output
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Split to predict, for a source that has splits [default: test]
    #[arg(long, value_name = "SPLIT", value_parser = choice::split())]
    split: Option<String>,
    /// Refuse the rows, and write nothing, if more than this share of them have a number far outside of
    /// what training saw: further away than all numbers of its column there are apart (0: none may)
    #[arg(long, value_name = "SHARE", value_parser = unusual::share, conflicts_with = "network")]
    max_out_of_range: Option<f64>,
    /// Format of the input [default: what its name says, csv on standard input]
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<FileFormat>(STREAMED))]
    in_format: Option<FileFormat>,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    thresholds: ThresholdArguments,
    #[command(flatten)]
    unsettled: UnsettledArguments,
    #[command(flatten)]
    network: NetworkArguments,
    /// Rule file of the network
    #[arg(
        long,
        value_name = "FILE",
        requires = "network",
        help_heading = "With a network instead of a model"
    )]
    rules: Option<PathBuf>,
    #[command(flatten)]
    rule_arguments: RuleArguments,
    #[command(flatten)]
    details: SourceDetails,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl Predict {
    pub fn run(&self) -> Result<(), Failure> {
        use_threads(self.threads);
        if let (Some(network), Some(rules)) = (&self.network.network, &self.rules) {
            return self.predict_with(network, rules);
        }
        let Some(model) = &self.model else {
            return Err(Failure::Usage("give --model, or --network and --rules".to_owned()));
        };
        let model = Model::load(model)?;
        let given = self.thresholds.given(&model.class_names())?;
        let model = match given {
            Some(thresholds) => model.with_thresholds(thresholds),
            None => model,
        };
        let model = model.with_settle_limit(self.rule_arguments.settle_limit());
        let source = RowSource {
            input: &self.input,
            id_column: self.id_column.as_deref(),
            in_format: self.in_format,
            split: self.split.as_deref(),
            details: &self.details,
        };
        source.open(&model, |rows| self.predict(&model, rows))
    }

    fn predict(&self, model: &Model, rows: RowReader<'_>) -> Result<(), Failure> {
        let device = self.device.open()?;
        let mut predictor = model.predictor_on(&device, rows.columns())?;
        let rows = match self.max_out_of_range {
            Some(share) => rows.with_most_out_of_range(share),
            None => rows,
        };
        self.write(&mut predictor, rows, model.configuration().method.is_coherent())
    }

    /// Predicts with a network of others.
    fn predict_with(&self, network: &Path, rules: &Path) -> Result<(), Failure> {
        if self.in_format.is_some() {
            let message =
                "--in-format is for models; give a network a file whose name says its format";
            return Err(Failure::Usage(message.to_owned()));
        }
        if !matches!(self.device.open()?, Device::Cpu) {
            let message = "--device is for models; onnxruntime runs networks on the CPU here";
            return Err(Failure::Usage(message.to_owned()));
        }
        let from = NetworkRows {
            network,
            rules,
            rule_arguments: &self.rule_arguments,
            input: &self.input,
            id_column: self.id_column.as_deref(),
            split: self.split.as_deref(),
            details: &self.details,
        };
        let thresholds = |classes: &ClassNames<'_>| self.thresholds.thresholds(classes);
        self.network.open(&from, thresholds, |predictor, rows, _| self.write(predictor, rows, true))
    }

    fn write(
        &self,
        predictor: &mut Predictor<'_>,
        rows: RowReader<'_>,
        is_coherent: bool,
    ) -> Result<(), Failure> {
        let paths = PredictionPaths {
            out: self.out.clone(),
            decisions: self.decisions.clone(),
            delegates: self.delegates.clone(),
            top: self.top.map(|top| top as usize),
            raw: self.raw.clone(),
            layout: self.out_format,
        };
        predictor.set_unsettled(self.unsettled.unsettled);
        let stop = end_on_signal();
        let bar = screen::rows_bar(self.json);
        let result = predictor.write(rows, &paths, |rows| {
            bar.set_position(rows);
            !stop.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        let summary = result?;
        note_unsettled(self.unsettled.unsettled, &summary.unsettled);
        self.print_summary(is_coherent, &summary)
    }

    /// The summary goes to standard output, unless a table does.
    fn print_summary(&self, is_coherent: bool, summary: &PredictionSummary) -> Result<(), Failure> {
        let outputs =
            [Some(&self.out), self.decisions.as_ref(), self.delegates.as_ref(), self.raw.as_ref()];
        let table_on_stdout = outputs.into_iter().flatten().any(|path| is_standard(path));
        let text = if self.json {
            let mut value = json!({
                "out": self.out.display().to_string(),
                "rows": summary.rows,
                "predicted": summary.predicted,
                "changed_rows": summary.changed_rows,
                "changed_scores": summary.changed_scores,
                "coherent": is_coherent,
                "unsettled": summary.unsettled,
            });
            if let Some(object) = value.as_object_mut() {
                object.extend(unusual::to_json(&summary.unusual));
                object.extend(summary.changes.iter().flat_map(score_changes::to_json));
            }
            screen::json_text(&value)?
        } else {
            let rows = count(summary.rows as usize, "row");
            let classes = thousands(summary.predicted);
            let mut text = format!("{rows} predicted, {classes} positive classes in total");
            text += &match (is_coherent, &summary.changes) {
                (true, Some(changes)) => format!("\n{}\n", score_changes::to_text(changes)),
                (true, None) => format!(
                    "; the rules changed {} in {}\n",
                    count(summary.changed_scores as usize, "score"),
                    count(summary.changed_rows as usize, "row"),
                ),
                (false, _) => "; this model is a plain network and may break rules\n".to_owned(),
            };
            for line in unusual::warnings(&summary.unusual) {
                text += &format!("{line}\n");
            }
            text + &format!("written to {}\n", self.out.display())
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
