//! `train --folds`: cross-validation, and what it prints.

use crate::data::SourceArguments;
use crate::text::count;
use clap::Args;
use rulebound::cross_validation::{CrossValidated, FoldScores};
use rulebound::dataset::Dataset;
use rulebound_io::scores::ScoreWriter;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(next_help_heading = "Cross-validation")]
pub struct FoldArguments {
    /// Cross-validate with K folds, then train on all rows for the mean of the best epochs
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..=1000), conflicts_with_all = ["valid_share", "retrain"])]
    pub folds: Option<u16>,
    /// Output file for the probabilities of each row by the model that has not seen it
    #[arg(long, value_name = "FILE", requires = "folds")]
    pub fold_scores: Option<PathBuf>,
    /// Output file for the same before the rules: what `tune-thresholds --scores` takes
    #[arg(long, value_name = "FILE", requires = "folds")]
    pub fold_raw: Option<PathBuf>,
}

impl FoldArguments {
    /// The files that are written, by their options.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let files = [("--fold-scores", &self.fold_scores), ("--fold-raw", &self.fold_raw)];
        files.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    /// Refuses files that cannot be tables, before anything is trained.
    pub fn expect_writable(&self) -> Result<(), rulebound_io::scores::ScoreError> {
        self.files().try_for_each(|(_, path)| ScoreWriter::expect_writable(path))
    }

    /// Writes the scores where they were asked for.
    pub fn write(
        &self,
        scores: &FoldScores,
        data: &Dataset,
        source: &SourceArguments,
    ) -> Result<(), rulebound_io::scores::ScoreError> {
        let id = source.id_of(data);
        if let Some(path) = &self.fold_scores {
            scores.write(path, data, id)?;
        }
        if let Some(path) = &self.fold_raw {
            scores.write_raw(path, data, id)?;
        }
        Ok(())
    }
}

/// The result for JSON.
pub fn to_json(found: &CrossValidated) -> Value {
    json!(found)
}

/// Each fold in a line, then the mean and standard deviation of each metric.
pub fn to_text(found: &CrossValidated) -> String {
    let mut text = String::new();
    for (fold, (evaluation, epochs)) in found.metrics.each.iter().zip(&found.epochs).enumerate() {
        let area =
            evaluation.metrics.iter().next().and_then(|(metric, value)| Some((metric, value?)));
        let area = area.map_or(String::new(), |(metric, value)| format!(", {metric} {value:.4}"));
        let epochs: Vec<String> = epochs.iter().map(usize::to_string).collect();
        let rows = count(evaluation.rows, "row");
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "  fold {}: {rows}, best epoch {}{area}", fold + 1, epochs.join(", "));
    }
    let folds = found.metrics.each.len();
    let _ = writeln!(text, "\nMean and standard deviation over {folds} folds:\n");
    for ((metric, mean), (_, deviation)) in
        found.metrics.mean.iter().zip(found.metrics.deviation.iter())
    {
        let _ = match (mean, deviation) {
            (Some(mean), Some(deviation)) => {
                writeln!(text, "  {metric:20} {mean:8.4}  ± {deviation:.4}")
            }
            _ => writeln!(text, "  {metric:20} {:>8}  undefined in a fold", "-"),
        };
    }
    let epochs = count(found.final_epochs, "epoch");
    let _ = writeln!(text, "\nThe final model was trained on all rows for {epochs}:");
    text
}
