//! `rulebound bench`: how fast this machine is, compared with what its hardware allows.

use crate::choice::precision;
use crate::failure::Failure;
use crate::screen;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use rulebound::cuda::{FleetTask, Gpu, GpuScorer, StepTime, copy_speed, prediction_speed};
use rulebound::dataset::{Dataset, Pipeline, ReadOptions, Split};
use rulebound::device::{Device, DeviceChoice};
use rulebound::train::{Configuration, Examples, Stopping, TrainError, Trainer};
use rulebound_network::{Precision, Shape};
use rulebound_reproduction::DataSource;
use serde_json::{Value, json};
use std::fmt::Write;

/// Benchmark this machine on the networks of the paper
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound bench gpu
  rulebound bench gpu --json > gpu.json
  rulebound bench gpu --batch 4,32,128,512,2048 --precision fp32,tf32 --members 1 --steps-only

Measures on the rules and rows of the paper's data sets, found as by `rulebound data`.")]
pub struct Bench {
    #[command(subcommand)]
    what: What,
    /// Print the measurements as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
enum What {
    /// Benchmark training steps and prediction on a GPU, relative to its memory bandwidth
    Gpu {
        /// GPU to measure
        #[arg(long, value_name = "DEVICE", default_value = "cuda")]
        device: DeviceChoice,
        /// Batch sizes, comma-separated
        #[arg(long, value_name = "SIZES", value_delimiter = ',', default_value = "4",
              value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
        batch: Vec<u32>,
        /// Precisions of matrix products, comma-separated: fp32, tf32
        #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "fp32",
              value_parser = precision())]
        precision: Vec<Precision>,
        /// Numbers of members, comma-separated [default: 1 and 10, of the largest network 1]
        #[arg(long, value_name = "COUNTS", value_delimiter = ',',
              value_parser = clap::value_parser!(u32).range(1..=1000))]
        members: Option<Vec<u32>>,
        /// Data sets whose networks are measured, comma-separated [default: all]
        #[arg(long, value_name = "NAMES", value_delimiter = ',',
              value_parser = PossibleValuesParser::new(STEPS.map(|(set, ..)| set)))]
        sets: Option<Vec<String>>,
        /// Only whole training steps: neither each kernel alone nor prediction
        #[arg(long)]
        steps_only: bool,
        /// Seconds to measure each step for
        #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
        seconds: f64,
    },
}

/// Data set, hidden units, numbers of members; as in the paper's tables.
const STEPS: [(&str, usize, &[usize]); 3] =
    [("cellcycle_FUN", 500, &[1, 10]), ("cellcycle_GO", 1000, &[1, 10]), ("seq_GO", 9000, &[1])];

/// The fewest steps of an epoch that is measured.
const STEPS_AT_LEAST: usize = 16;

/// Data set, hidden units, rows to predict.
const PREDICTIONS: [(&str, usize, usize); 2] =
    [("cellcycle_FUN", 500, 1 << 18), ("cellcycle_GO", 1000, 1 << 16)];

impl Bench {
    pub fn run(&self) -> Result<(), Failure> {
        let What::Gpu { device, batch: batches, precision, members, sets, steps_only, seconds } =
            &self.what;
        let (Device::Cuda(gpu), _) = device.open()? else {
            let message = "bench gpu needs a GPU: give --device cuda";
            return Err(Failure::Usage(message.to_owned()));
        };
        let copy = copy_speed(&gpu)?;
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}: memory copy {:.2} TB/s (read plus write)\n",
            gpu.name(),
            copy / 1e12
        );
        let _ = writeln!(
            text,
            "| data set | network | batch | precision | members | µs per step | MB moved | % of copy bandwidth |"
        );
        let _ = writeln!(text, "|---|---|---|---|---|---|---|---|");
        let mut steps = Vec::new();
        let mut per_kernel = String::new();
        let is_wanted = |set: &str| sets.as_ref().is_none_or(|sets| sets.iter().any(|s| s == set));
        for (set, hidden, usual) in STEPS.into_iter().filter(|(set, ..)| is_wanted(set)) {
            let data = read(set)?;
            let usual = || usual.iter().map(|&count| count as u32).collect();
            let cells = members.clone().unwrap_or_else(usual).into_iter().flat_map(|members| {
                let of_batch = move |&batch: &u32| precision.iter().map(move |&p| (batch, p));
                batches.iter().flat_map(of_batch).map(move |(batch, p)| (members, batch, p))
            });
            for (members, batch, precision) in cells {
                let configuration = Configuration {
                    precision,
                    ..configuration(hidden, batch as usize, members as usize)
                };
                let time = step_time(&gpu, &data, &configuration, *seconds, !steps_only)?;
                let share = time.bytes as f64 / time.seconds / copy;
                let _ = writeln!(
                    text,
                    "| {set} | {} | {batch} | {precision} | {members} | {:.1} | {:.1} | {:.0} % |",
                    time.shape,
                    time.seconds * 1e6,
                    time.bytes as f64 / 1e6,
                    share * 100.0
                );
                let kernels = time.kernels.iter();
                let each = kernels.map(|(name, seconds)| format!("{name} {:.1}", seconds * 1e6));
                let each = each.collect::<Vec<_>>().join(", ");
                let _ =
                    writeln!(per_kernel, "{set}, batch {batch}, {precision}, {members}: {each}");
                steps.push(step_json(set, batch, precision, &time, share));
            }
        }
        if !steps_only {
            let _ = writeln!(text, "\nTime per kernel in µs, each measured alone:\n{per_kernel}");
        }
        let mut predictions = Vec::new();
        for (set, hidden, rows) in PREDICTIONS.into_iter().filter(|_| !steps_only) {
            let speed = rows_per_second(&gpu, set, hidden, rows)?;
            let _ = writeln!(text, "prediction {set}: {:.2} million rows per second", speed / 1e6);
            predictions.push(json!({ "set": set, "hidden": hidden, "rows_per_second": speed }));
        }
        if self.json {
            let value = json!({
                "device": gpu.name(),
                "copy_bytes_per_second": copy,
                "steps": steps,
                "predictions": predictions,
            });
            return Ok(screen::json(&value)?);
        }
        Ok(screen::print(&text)?)
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let valid = |seconds: &f64| (0.01..=600.0).contains(seconds);
    text.parse().ok().filter(valid).ok_or_else(|| "a number from 0.01 to 600 is needed".to_owned())
}

/// The time of a training step on the training rows of a data set.
fn step_time(
    gpu: &Gpu,
    data: &Dataset,
    configuration: &Configuration,
    seconds: f64,
    each_kernel: bool,
) -> Result<StepTime, Failure> {
    let rows: Vec<usize> = data.split(Split::Train).unwrap_or_default().collect();
    // Enough for a graph of whole steps, however large they are.
    let count = rows.len().max(STEPS_AT_LEAST * configuration.batch);
    let rows: Vec<usize> = rows.iter().copied().cycle().take(count).collect();
    let pipeline = Pipeline::fit(data, rows.iter().copied()).map_err(TrainError::from)?;
    let examples =
        Examples::new(data, data.labels(), &pipeline, &rows).map_err(TrainError::from)?;
    let hidden = configuration.hidden.clone();
    let shape = Shape { inputs: pipeline.width(), hidden, outputs: data.classes().len() };
    let seeds: Vec<u64> =
        (0..configuration.members).map(|member| configuration.member_seed(member)).collect();
    let task = FleetTask {
        shape: &shape,
        configuration,
        program: data.program(),
        weights: None,
        evaluated: data.evaluated(),
        examples: &examples,
        seeds: &seeds,
        keeps_best: false,
    };
    Ok(StepTime::measure(gpu, &task, seconds, each_kernel)?)
}

/// Rows per second through the network of a data set and its constraint layer.
fn rows_per_second(gpu: &Gpu, set: &str, hidden: usize, rows: usize) -> Result<f64, Failure> {
    let data = read(set)?;
    // Speed does not depend on what was learned: one large step is enough.
    let one = Configuration {
        stopping: Stopping::Epochs(1),
        batch: data.rows(),
        ..configuration(hidden, 4, 1)
    };
    let model = Trainer::new().configuration(one.clone()).fit(&data)?;
    let shape = model.members()[0].shape();
    let mut scorer =
        GpuScorer::new(gpu, model.members(), model.thresholds(), Some(model.program()))?;
    Ok(prediction_speed(&mut scorer, &shape, rows)?)
}

fn read(set: &str) -> Result<Dataset, Failure> {
    let source: DataSource = set.parse().unwrap_or_else(|never| match never {});
    Ok(source.read(&ReadOptions::default(), None)?)
}

/// The paper's configuration, except for the number of units and the batch size.
fn configuration(hidden: usize, batch: usize, members: usize) -> Configuration {
    Configuration {
        hidden: vec![hidden, hidden],
        dropout: 0.7,
        learning_rate: 1e-4,
        batch,
        members,
        ..Configuration::default()
    }
}

fn step_json(set: &str, batch: u32, precision: Precision, time: &StepTime, share: f64) -> Value {
    let kernels: Vec<Value> = time
        .kernels
        .iter()
        .map(|(name, seconds)| json!({ "kernel": name, "microseconds": seconds * 1e6 }))
        .collect();
    json!({
        "set": set,
        "shape": time.shape.to_string(),
        "batch": batch,
        "precision": precision.name(),
        "members": time.members,
        "microseconds": time.seconds * 1e6,
        "bytes": time.bytes,
        "share_of_copy": share,
        "kernels": kernels,
    })
}
