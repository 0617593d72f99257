//! `rulebound train`: from a data set and rules to a model.

mod blend;
mod folds;
mod learner_arguments;
mod progress;
mod settings;
mod stream_arguments;

pub use progress::{Progress, broken_labels};
pub use settings::{Settings, record_protocol};

use crate::arguments::{DeviceArguments, Overwriting, ThresholdArguments, use_threads};
use crate::checksum_arguments::{ChecksumArguments, ReadFiles};
use crate::config::RunRecord;
use crate::data::{SourceArguments, note_unknown_labels, warn_of_doubts};
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::files::expect_own;
use crate::interrupt::stop_on_signal;
use crate::label_arguments::LabelArguments;
use crate::note_arguments::NoteArguments;
use crate::screen;
use crate::text::count;
use blend::BlendArguments;
use clap::Args;
use folds::FoldArguments;
use rulebound::blend::{Blend, BlendReport, discard_learners};
use rulebound::cross_validation::{CrossValidated, CrossValidation, discard_folds};
use rulebound::dataset::Dataset;
use rulebound::device::Device;
use rulebound::model::Model;
use rulebound::train::{
    Configuration, EarlyStopping, LabelPolicy, RunPaths, Stopping, TrainError, Trainer, is_log,
};
use rulebound_io::input::is_standard;
use rulebound_io::output::{Existing, OutputClaim, OutputError};
use rulebound_network::Precision;
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stream_arguments::StreamArguments;

/// Train a network whose predictions never break a rule
///
/// Trains with early stopping on the validation rows (or on held-out training rows)
/// and keeps the best epoch. Ctrl-C saves a checkpoint; --resume continues from it,
/// to the same bits as an uninterrupted run.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound train rectangles --arrangement inside --hidden 16 --out boxes.rulebound
  rulebound train genes.csv --label-columns 'GO:*' --rules go.obo --out genes.rulebound
  rulebound train cellcycle_FUN --preset paper --members 3 --out cellcycle.rulebound
  rulebound train genes.csv --rules go.obo --learners ccn:5,prior --out blend.rulebound
  rulebound train cellcycle_GO --preset paper --members 10 --device cuda --out ten.rulebound
  rulebound train huge.parquet --label-columns 'tag_*' --stream --batch 512 --out huge.rulebound

Also writes M.rulebound.log (one JSON object per line), M.rulebound.toml (the options of this
run, for --config) and, during the run, M.rulebound.checkpoint.
Exit codes: 0 success, 1 invalid input, 2 invalid command line, 4 the machine failed, 130 interrupted.")]
pub struct Train {
    #[command(flatten)]
    source: SourceArguments,
    /// Output file for the model
    #[arg(long, value_name = "M.rulebound")]
    out: PathBuf,
    /// Model whose weights to start from, with the same features, classes and layers
    #[arg(long, value_name = "M.rulebound")]
    from: Option<PathBuf>,
    /// Resume from the checkpoint; starts a new run if there is none
    #[arg(long, conflicts_with = "restart")]
    resume: bool,
    /// Discard the checkpoint and start over
    #[arg(long)]
    restart: bool,
    #[command(flatten)]
    overwriting: Overwriting,
    #[command(flatten)]
    notes: NoteArguments,
    #[command(flatten)]
    checksums: ChecksumArguments,
    /// Log file [default: M.rulebound.log]
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Seconds between checkpoints (0: as often as overhead allows)
    #[arg(long, value_name = "S", default_value = "10")]
    checkpoint_every: u64,
    /// Number of threads; does not affect the result [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    thresholds: ThresholdArguments,
    #[command(flatten, next_help_heading = "Labels")]
    labels: LabelArguments,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    blend: BlendArguments,
    #[command(flatten)]
    folds: FoldArguments,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl Train {
    pub fn run(&self, mut record: RunRecord) -> Result<(), Failure> {
        let log = self.log.clone().unwrap_or_else(|| with_suffix(&self.out, "log"));
        if is_standard(&self.out) || is_standard(&log) {
            let message = "a model and its log must be files, not standard output";
            return Err(Failure::Usage(message.to_owned()));
        }
        if self.out.extension().is_some_and(|extension| extension == "gz") {
            return Err(Failure::Usage("--out: a model file cannot be compressed".to_owned()));
        }
        let checkpoint = with_suffix(&self.out, "checkpoint");
        let settings = with_suffix(&self.out, "toml");
        let mut own: Vec<(&str, &Path)> = vec![
            ("--out", &self.out),
            ("--log", &log),
            ("the checkpoint", &checkpoint),
            ("the record of the settings", &settings),
        ];
        own.extend(self.folds.files());
        expect_own(&own)?;
        // A run that was interrupted had the permission.
        let was_permitted = (self.resume || self.restart) && is_begun(&checkpoint);
        let existing = if was_permitted { Existing::Replace } else { self.overwriting.existing() };
        if self.is_taken(existing) {
            // What a killed run left there goes; where one is alive, that is said.
            drop(OutputClaim::take(&self.out)?);
            return Err(self.finished());
        }
        if existing == Existing::Keep && log.is_file() && !is_log(&log) {
            return Err(OutputError::Exists { path: log }.into());
        }
        self.folds.expect_writable()?;
        use_threads(self.threads);
        let asked = self.labels.policy();
        let by_name = self.source.labels_by_name();
        let policy = asked.unwrap_or(LabelPolicy::default_for(by_name));
        let mut configuration = self.settings.configuration(&self.source.source(), policy)?;
        configuration.shuffle_buffer = self.stream.shuffle_buffer;
        let weights = self.blend.weights()?;
        let mut learners = self.settings.of_learners(
            &self.source.source(),
            &configuration,
            &self.blend.learners,
        )?;
        let all = std::iter::once(&configuration).chain(&learners);
        self.stream.expect_networks(all.clone())?;
        let mut mistakes: Vec<_> = all.flat_map(Configuration::mistakes).collect();
        mistakes.dedup();
        if !mistakes.is_empty() {
            return Err(TrainError::Configuration(mistakes).into());
        }
        self.stream.expect_files(&self.source.source())?;
        let files = self.files();
        self.checksums.expect(&self.source, &files)?;
        // An unwritable path must fail now, not after an hour of training.
        drop(rulebound_io::output::OutputFile::create(&self.out).map_err(TrainError::from)?);
        settings::record(&configuration, &mut record);
        record.expect_place(&self.out, existing)?;
        screen::detail(|| record.to_toml());
        let data = self.labels.counted(self.source.read_with(
            self.labels.classes()?,
            asked,
            self.labels.weight_column.clone(),
            self.stream.storage(&self.out),
        )?);
        warn_of_doubts(&data);
        note_unknown_labels(&data);
        configuration.class_weights = self.labels.class_weights(&self.source.class_names(&data))?;
        for learner in &mut learners {
            learner.class_weights = configuration.class_weights.clone();
        }
        let from = self.from.as_ref().map(Model::load).transpose()?;
        if self.folds.folds.is_none() {
            self.source.expect_whole_groups(&data, &configuration.stopping)?;
        }
        let memory = self.source.memory(&data)?;
        record.read(ChecksumArguments::of(memory.checksum.as_deref(), &files)?);
        let device = self.device.open()?;
        if matches!(device, Device::Cpu) && configuration.precision != Precision::default() {
            let name = configuration.precision;
            screen::note(format_args!(
                "note: --precision {name} has no effect on the CPU, which always computes in fp32"
            ));
        }
        let thresholds = self.thresholds.thresholds(&self.source.class_names(&data))?;
        let _claim = OutputClaim::take(&self.out)?;
        // Another run may have finished it while the data was read.
        if self.is_taken(existing) {
            return Err(self.finished());
        }
        if self.restart {
            std::fs::remove_file(&checkpoint).ok();
            if let Some(folds) = self.folds.folds {
                discard_folds(&checkpoint, folds.into());
            }
            discard_learners(&checkpoint, learners.len(), self.blend.folds());
        }
        let paths = RunPaths {
            checkpoint: Some(checkpoint.clone()),
            resume: self.resume,
            log: Some(log),
            timestamps: screen::has_timestamps(),
            checkpoint_interval: Duration::from_secs(self.checkpoint_every),
        };
        let stop = stop_on_signal();
        let progress = Progress::new(self.json);
        let start = Instant::now();
        let mut trainer = Trainer::new()
            .configuration(configuration.clone())
            .device(&device)
            .paths(paths.clone())
            .observer(&progress)
            .stop(&stop);
        if let Some(model) = &from {
            trainer = trainer.start_from(model);
        }
        if let Some(limit) = self.source.memory_limit() {
            trainer = trainer.memory_limit(limit);
        }
        let mut report = None;
        let result = match self.folds.folds {
            None if self.blend.is_asked() => {
                let blend = Blend {
                    trainer,
                    weights,
                    paths,
                    folds: self.blend.folds(),
                    recipe: self.source.recipe(),
                    holdout: match &configuration.stopping {
                        Stopping::Early(early) => early.holdout,
                        _ => EarlyStopping::default().holdout,
                    },
                    configurations: learners,
                };
                let result = blend.run(&data);
                result.map_err(Failure::from).map(|(model, found)| {
                    report = Some(found);
                    (model, None)
                })
            }
            None => trainer.fit(&data).map(|model| (model, None)).map_err(Failure::from),
            Some(folds) => {
                let validation = CrossValidation {
                    trainer,
                    configuration,
                    paths,
                    folds: folds.into(),
                    recipe: self.source.recipe(),
                    thresholds: thresholds.clone(),
                };
                let result = validation.run(&data).and_then(|(model, found, scores)| {
                    self.folds.write(&scores, &data, &self.source)?;
                    Ok((model, Some(found)))
                });
                result.map_err(Failure::from)
            }
        };
        progress.clear();
        let (model, found) = result?;
        let model = self.notes.add_to(model.with_thresholds(thresholds).with_source(memory))?;
        model.save_as(&self.out, existing)?;
        record.write_beside(&self.out, existing)?;
        std::fs::remove_file(&checkpoint).ok();
        discard_learners(&checkpoint, self.blend.learners.len(), self.blend.folds());
        let time = start.elapsed();
        self.print_summary(&model, &data, found.as_ref(), report.as_ref(), &device, time)
    }

    /// Whether there is a model that must not be replaced.
    fn is_taken(&self, existing: Existing) -> bool {
        existing == Existing::Keep && self.out.is_file()
    }

    /// The error for a model that is there already.
    fn finished(&self) -> Failure {
        let exists = OutputError::Exists { path: self.out.clone() };
        if !self.resume {
            return exists.into();
        }
        let message = format!("{exists}, and no checkpoint: the run that wrote it has finished");
        Diagnostic::plain("exists", message).with_hint("--force trains it again").into()
    }

    /// The files that are read beside the source, each with the option that names it.
    fn files(&self) -> ReadFiles<'_> {
        let mut files = self.source.named_files();
        files.extend(self.labels.named_files());
        files.extend(self.thresholds.thresholds.as_deref().map(|path| ("thresholds", path)));
        files.extend(self.from.as_deref().map(|path| ("from", path)));
        files
    }

    fn print_summary(
        &self,
        model: &Model,
        data: &Dataset,
        found: Option<&CrossValidated>,
        report: Option<&BlendReport>,
        device: &Device,
        time: Duration,
    ) -> Result<(), Failure> {
        let training = model.training();
        let parameters: usize = model.parts().iter().map(|of| of.learner().parameters()).sum();
        if self.json {
            let mut value = json!({
                "out": self.out.display().to_string(),
                "configuration": model.configuration(),
                "training": training,
                "parameters": parameters,
                "device": if uses_gpu(model) { device.to_string() } else { Device::Cpu.to_string() },
                "unknown_labels": data.unknown_labels().len(),
                "seconds": time.as_secs_f64(),
            });
            if let Some(found) = found {
                value["folds"] = folds::to_json(found);
            }
            if let Some(report) = report {
                value["blend"] = json!(report);
            }
            screen::json(&value)?;
            return Ok(());
        }
        let mut text = found.map_or(String::new(), folds::to_text);
        let rows = count(training.rows, "row");
        let learner = match model.parts() {
            [one] => one.learner().to_string(),
            several => format!("a blend of {}", count(several.len(), "learner")),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "trained {} with {rows} of {}{} in {:.1} s",
            learner,
            training.data,
            match device {
                Device::Cuda(gpu) if uses_gpu(model) => format!(" on {}", gpu.name()),
                Device::Cpu | Device::Cuda(_) => String::new(),
            },
            time.as_secs_f64(),
        );
        text += &report.map_or(String::new(), blend::to_text);
        for member in training.members.iter().filter(|member| member.epochs > 0) {
            let best = match member.best {
                Some((monitor, value)) => {
                    format!(", best validation {} {value:.4}", monitor.name())
                }
                None => String::new(),
            };
            let epochs = count(member.epochs, "epoch");
            let _ =
                writeln!(text, "  seed {}: {epochs}, loss {:.5}{best}", member.seed, member.loss);
        }
        let _ = writeln!(text, "written to {}", self.out.display());
        screen::summary(&text)?;
        Ok(())
    }
}

/// Whether a part of it can be trained on a GPU; the others use the CPU whatever the device.
fn uses_gpu(model: &Model) -> bool {
    model.parts().iter().any(|part| part.configuration().method.trains_on_gpu())
}

/// Whether there is a checkpoint of a run, or of one of its folds or learners.
fn is_begun(checkpoint: &Path) -> bool {
    let Some(name) = checkpoint.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return false;
    };
    let folder = checkpoint.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(&name))
}

/// `M.rulebound.log` for `M.rulebound`.
fn with_suffix(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}
