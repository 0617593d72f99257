//! A network in an ONNX file in place of a model: its features from a source, its scores through the rules.

use crate::arguments::RuleArguments;
use crate::choice::one_of;
use crate::data::{SourceDetails, rows_of, source};
use crate::failure::Failure;
use crate::screen;
use crate::text::hidden_note;
use clap::Args;
use rulebound::class_names::ClassNames;
use rulebound::dataset::{Pipeline, RowOptions, RowReader};
use rulebound::onnx::{NetworkFile, NetworkOutput, NetworkScorer, listen_to_runtime};
use rulebound::predict::{PredictError, Predictor};
use rulebound_core::Thresholds;
use rulebound_io::input::is_standard;
use std::path::{Path, PathBuf};

/// A network in an ONNX file.
#[derive(Args)]
#[command(next_help_heading = "With a network instead of a model")]
pub struct NetworkArguments {
    /// Network in an ONNX file; its columns are the classes of --labels
    #[arg(long, value_name = "FILE.onnx", requires_all = ["rules", "labels"])]
    pub network: Option<PathBuf>,
    /// The network's output with the scores [default: the only one that fits]
    #[arg(long, value_name = "NAME", requires = "network")]
    output: Option<String>,
    /// What the scores of the network are
    #[arg(long, value_name = "KIND", default_value = "logits", requires = "network", value_parser = one_of::<NetworkOutput>(NetworkOutput::NAMES))]
    output_kind: NetworkOutput,
    /// The library of onnxruntime [default: that of ORT_DYLIB_PATH, of Python, or of the system]
    #[arg(long, value_name = "FILE", requires = "network")]
    onnxruntime: Option<PathBuf>,
}

/// The rules of a network, and the rows that it scores.
pub struct NetworkRows<'a> {
    pub network: &'a Path,
    pub rules: &'a Path,
    pub rule_arguments: &'a RuleArguments,
    pub input: &'a str,
    pub id_column: Option<&'a str>,
    pub split: Option<&'a str>,
    pub details: &'a SourceDetails,
}

impl NetworkArguments {
    /// Opens rules, network and rows, and does something with them.
    pub fn open<T>(
        &self,
        from: &NetworkRows<'_>,
        thresholds: impl FnOnce(&ClassNames<'_>) -> Result<Thresholds, Failure>,
        then: impl FnOnce(&mut Predictor<'_>, RowReader<'_>, &ClassNames<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if is_standard(Path::new(from.input)) {
            let message = "a network takes rows from a file, not from standard input";
            return Err(Failure::Usage(message.to_owned()));
        }
        let file = from.rule_arguments.read(from.rules)?;
        if let Some(note) = hidden_note(file.unknown.len(), "the label list") {
            screen::note(note);
        }
        let program = &file.parsed.program;
        let labels = program.labels();
        let thresholds = thresholds(&file.class_names())?;
        let network = NetworkFile::read(from.network, self.output.as_deref(), labels.len())?;
        let identifiers: Vec<String> = from.id_column.into_iter().map(str::to_owned).collect();
        let data = from.details.read_features(&source(from.input), &identifiers)?;
        let has_test = data.splits().any(|(split, _)| split.name() == "test");
        let rows = rows_of(&data, from.split.unwrap_or(if has_test { "test" } else { "all" }))?;
        let features = network.features(data.columns(), labels)?;
        let pipeline = Pipeline::numbers(features.into_iter().map(|column| column.name));
        let options =
            RowOptions { id_column: from.id_column.map(str::to_owned), ..RowOptions::default() };
        let rows = RowReader::from_dataset(&data, rows, &pipeline, &options)?;
        let encoder = pipeline.encoder(rows.columns()).map_err(PredictError::from)?;
        listen_to_runtime(screen::runtime_error);
        let library = self.onnxruntime.as_deref();
        let scorer = NetworkScorer::new(&network, encoder, self.output_kind, &thresholds, library)?;
        let mut predictor = Predictor::of_scorer(scorer, Some(program), labels, &thresholds);
        then(&mut predictor, rows, &file.class_names())
    }
}
