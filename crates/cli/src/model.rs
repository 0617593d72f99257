//! `rulebound model`: the contents of a model file.

use crate::data::describe;
use crate::failure::Failure;
use crate::merge_models::MergeModels;
use crate::screen;
use crate::set_thresholds::SetThresholds;
use crate::text::{count, in_line, some_names, thousands};
use clap::{Args, Subcommand};
use rulebound::model::{Model, ModelFile};
use rulebound::train::Stopping;
use rulebound_network::Precision;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Inspect and merge model files, set thresholds
#[derive(Args)]
pub struct ModelCommand {
    #[command(subcommand)]
    command: Action,
}

#[derive(Subcommand)]
enum Action {
    Info(Info),
    Rules(Rules),
    Merge(MergeModels),
    SetThresholds(SetThresholds),
}

/// Verify a model file and describe its contents
#[derive(Args)]
#[command(after_help = "Example:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound model info boxes.rulebound")]
struct Info {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Print the description as JSON
    #[arg(long)]
    json: bool,
}

/// Print the rules of a model file
#[derive(Args)]
struct Rules {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Print them as JSON, with the classes
    #[arg(long)]
    json: bool,
}

impl ModelCommand {
    pub fn json(&self) -> bool {
        match &self.command {
            Action::Info(info) => info.json,
            Action::Merge(merge) => merge.json,
            Action::Rules(rules) => rules.json,
            Action::SetThresholds(command) => command.json,
        }
    }

    pub fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Action::Info(info) => {
                let file = ModelFile::load(&info.model)?;
                if info.json {
                    screen::json(&to_json(&file))?;
                } else {
                    screen::print(&(to_text(&file.model) + &provenance(&file)))?;
                }
            }
            Action::Rules(rules) => {
                let model = Model::load(&rules.model)?;
                match rules.json {
                    true => screen::json(&json!({
                        "class_names": model.labels().names().collect::<Vec<_>>(),
                        "rule_texts": model.program().to_text().lines().collect::<Vec<_>>(),
                    }))?,
                    false => screen::print(&model.program().to_text())?,
                }
            }
            Action::Merge(command) => command.run()?,
            Action::SetThresholds(command) => command.run()?,
        }
        Ok(())
    }
}

fn to_json(file: &ModelFile) -> serde_json::Value {
    let model = &file.model;
    let class_names: Vec<&str> = model.labels().names().collect();
    let feature_names: Vec<&str> = model.pipeline().columns().iter().map(|c| c.name()).collect();
    let thresholds: Vec<f64> =
        model.labels().ids().map(|label| model.thresholds().value(label)).collect();
    json!({
        "format": file.format,
        "checksum": file.checksum,
        "source": model.source(),
        "notes": model.notes(),
        "classes": class_names.len(),
        "class_names": class_names,
        "rules": model.program().rules().len(),
        "requirements": model.program().requirements().len(),
        "rule_texts": model.program().to_text().lines().collect::<Vec<_>>(),
        "root_names": roots(model).collect::<Vec<_>>(),
        "thresholds": thresholds,
        "calibration": model.calibration().map(|calibration| json!({
            "method": calibration.method().name(),
            "rows": calibration.rows(),
            "temperature": calibration.temperature(),
            "isotonic_classes": calibration.isotonic_classes(),
        })),
        "features": feature_names.len(),
        "feature_names": feature_names,
        "shape": model.members().first().map(|network| network.shape().to_string()),
        "parameters": parameters(model),
        "coherent": model.rules().is_some(),
        "parts": model.parts().iter().map(|part| json!({
            "method": part.configuration().method.name(),
            "learner": part.learner().to_string(),
            "weight": part.weight(),
        })).collect::<Vec<_>>(),
        "configuration": model.configuration(),
        "training": model.training(),
    })
}

/// The parameters of one network, or of all that was learned where there are other learners.
fn parameters(model: &Model) -> usize {
    match model.members().first() {
        Some(network) => network.shape().parameters(),
        None => model.parts().iter().map(|part| part.learner().parameters()).sum(),
    }
}

/// The classes that do not count in the loss and the metrics.
fn roots(model: &Model) -> impl Iterator<Item = &str> {
    let names = model.labels().names().zip(model.evaluated());
    names.filter(|(_, is_evaluated)| !**is_evaluated).map(|(name, _)| name)
}

/// Where it comes from: the source, how that was split, notes, the file itself.
fn provenance(file: &ModelFile) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:14} {value}");
    };
    if let Some(source) = file.model.source() {
        line("source", source.checksum.as_ref().map_or("built in", |_| "a file or folder"));
        if let Some(checksum) = &source.checksum {
            line("  checksum", checksum);
        }
        let is_left = source.split.is_none();
        line(
            "  split",
            &if is_left { "as the source has it".to_owned() } else { describe(&source.split) },
        );
    }
    for (key, value) in file.model.notes() {
        line(&format!("note {}", in_line(key)), &in_line(value));
    }
    line("format", &file.format.to_string());
    line("checksum", &file.checksum);
    text
}

fn to_text(model: &Model) -> String {
    let (configuration, training) = (model.configuration(), model.training());
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:14} {value}");
    };
    let bound = match model.rules().is_some() {
        true => "predictions never break a rule",
        false => "no constraint layer: predictions may break rules",
    };
    line("method", format!("{} ({bound})", configuration.method));
    for part in model.parts() {
        let parameters = thousands(parameters(model) as u64);
        match part.learner().networks().first().filter(|_| model.parts().len() == 1) {
            Some(network) => {
                let (shape, activation) = (network.shape(), configuration.activation);
                line("network", format!("{shape}, {activation}, {parameters} parameters"));
            }
            None => {
                let (method, learner) = (part.configuration().method, part.learner());
                let weight = match model.parts().len() {
                    1 => String::new(),
                    _ => format!(", weight {:.3}", part.weight()),
                };
                line("learner", format!("{method}: {learner}{weight}"));
            }
        }
    }
    let names = some_names(model.labels().names(), model.labels().len(), 8);
    line("classes", format!("{}: {names}", thousands(model.labels().len() as u64)));
    if model.evaluated().contains(&false) {
        let names = some_names(roots(model), roots(model).count(), 8);
        line("roots", format!("{}, not evaluated: {names}", roots(model).count()));
    }
    line("rules", thousands(model.program().rules().len() as u64));
    if !model.program().requirements().is_empty() {
        line("requirements", thousands(model.program().requirements().len() as u64));
    }
    let columns = model.pipeline().columns();
    let names = some_names(columns.iter().map(|column| column.name()), columns.len(), 8);
    line("features", format!("{}: {names}", thousands(columns.len() as u64)));
    let mut values: Vec<f64> =
        model.labels().ids().map(|label| model.thresholds().value(label)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let range = match values[..] {
        [] => "none".to_owned(),
        [one] => one.to_string(),
        [low, .., high] => format!("{low} to {high}"),
    };
    line("thresholds", range);
    if let Some(calibration) = model.calibration() {
        let (method, rows) = (calibration.method(), count(calibration.rows(), "row"));
        let temperature = calibration.temperature();
        line("calibration", format!("{method}, temperature {temperature:.4}, fitted on {rows}"));
    }
    line("trained on", format!("{} of {}", count(training.rows, "row"), training.data));
    let stopping = match &configuration.stopping {
        Stopping::Epochs(epochs) => count(*epochs, "epoch"),
        Stopping::EpochsOfEach(each) => {
            let (low, high) = (each.iter().min(), each.iter().max());
            format!("{} to {} epochs", low.unwrap_or(&0), high.unwrap_or(&0))
        }
        Stopping::Early(early) => format!(
            "early stopping on {}, patience {}{}",
            early.monitor.name(),
            early.patience,
            if early.retrain { ", retrained on all rows" } else { "" }
        ),
    };
    match configuration.learner_settings() {
        None => line(
            "training",
            format!(
                "{stopping}; Adam, learning rate {}, weight decay {}, dropout {}, batch size {}{}{}",
                configuration.learning_rate,
                configuration.weight_decay,
                configuration.dropout,
                configuration.batch,
                match configuration.precision {
                    Precision::Fp32 => String::new(),
                    other => format!(", {other} on a GPU"),
                },
                configuration.shuffle_buffer.map_or(String::new(), |rows| {
                    format!(", shuffled among {}", count(rows, "row"))
                }),
            ),
        ),
        Some(settings) => {
            if configuration.method.has_epochs() {
                line("training", stopping);
            }
            line(
                "settings",
                serde_json::to_string(&settings).unwrap_or_else(|error| error.to_string()),
            );
        }
    }
    let by_epochs = configuration.method.has_epochs();
    for member in training.members.iter().filter(|_| by_epochs) {
        let best = match member.best {
            Some((monitor, value)) => format!(", best validation {} {value:.4}", monitor.name()),
            None => String::new(),
        };
        let epochs = count(member.epochs, "epoch");
        let loss = member.loss;
        line(&format!("  seed {}", member.seed), format!("{epochs}, loss {loss:.5}{best}"));
    }
    line("written by", format!("rulebound {}", training.version));
    text
}
