//! `rulebound devices`: the devices available on this machine.

use crate::failure::Failure;
use crate::screen;
use clap::Args;
use rulebound::cuda::{GpuInfo, gpus};
use serde_json::json;

/// List the devices that training and prediction can run on
///
/// A GPU that is not usable is listed with the reason.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound devices
  rulebound train cellcycle_FUN --preset paper --members 10 --device cuda:0 --out m.rulebound")]
pub struct Devices {
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

impl Devices {
    pub fn run(&self) -> Result<(), Failure> {
        let threads = rayon::current_num_threads();
        let found = gpus();
        if self.json {
            let (gpus, problem) = match found {
                Ok(gpus) => (gpus, None),
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            let value = json!({
                "cpu": { "threads": threads },
                "cuda": { "devices": gpus, "problem": problem },
            });
            return Ok(screen::json(&value)?);
        }
        let mut text = format!("cpu     {threads} threads\n");
        match found {
            Ok(gpus) if gpus.is_empty() => text += "cuda    none: the driver reports no device\n",
            Ok(gpus) => text.extend(gpus.iter().map(line)),
            Err(error) => text += &format!("cuda    none: {error}\n"),
        }
        Ok(screen::print(&text)?)
    }
}

fn line(gpu: &GpuInfo) -> String {
    let gigabytes = |bytes: u64| bytes as f64 / 1e9;
    let free = gpu.free.map(|free| format!(", {:.1} free", gigabytes(free)));
    let problem = gpu.problem.as_ref().map(|problem| format!("; not usable: {problem}"));
    format!(
        "cuda:{}  {}, compute capability {}, {:.1} GB of memory{}, driver for CUDA {}{}\n",
        gpu.index,
        gpu.name,
        gpu.capability,
        gigabytes(gpu.memory),
        free.unwrap_or_default(),
        gpu.driver,
        problem.unwrap_or_default(),
    )
}
