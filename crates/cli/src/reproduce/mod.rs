//! `rulebound reproduce`: the paper's experiments again.

mod list;
mod progress;
mod report;

use crate::arguments::{DeviceArguments, use_threads};
use crate::failure::{self, Failure};
use crate::interrupt::stop_on_signal;
use crate::screen;
use crate::text::count;
use clap::Args;
use progress::Progress;
use report::Places;
use rulebound_reproduction::{
    Failed, Folder, Known, Plan, PlanRequest, ReproduceError, Reproduction, Target, reproduce,
};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Make the paper's experiments again, with a report beside its numbers
///
/// Every network that is finished is a line of DIR/results.csv at once: the same
/// command again goes on where it was stopped, and several of them, also on
/// several machines that share DIR, divide the work. DIR/report.html shows the
/// results beside those of the paper.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound reproduce --list
  rulebound reproduce rectangles nine-rectangles --out run
  rulebound reproduce hmc --sets cellcycle_FUN,seq_FUN --seeds 3 --out run
  rulebound reproduce all --device cuda --out run
  rulebound reproduce --report --out run --markdown results.md
  rulebound compare run/results.csv --metric auprc --methods ccn,post,cm

Networks of one set and method are trained together, as many as there are seeds; each is what it
would be alone, and their ensemble is a line of its own. With more seeds later they are trained again
for the larger ensemble.
Exit code 0: fine, 1: the input is wrong or a network failed, 2: the command line is wrong,
130: stopped.")]
pub struct Reproduce {
    /// What to make again: names of --list, or `all`
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    /// The folder of results, report, logs and models
    #[arg(long, value_name = "DIR", required_unless_present_any = ["list", "dry_run"])]
    out: Option<PathBuf>,
    /// Runs of each set and method: the seeds from 0
    #[arg(long, value_name = "N", default_value = "10")]
    seeds: usize,
    /// Only these sets, with commas between; steps are `rectangles-5`, `three-classes-5`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    sets: Vec<String>,
    /// Find the epochs of the hierarchies by early stopping, not from the published numbers
    #[arg(long)]
    search_epochs: bool,
    #[command(flatten)]
    device: DeviceArguments,
    /// Folder with the data sets of the paper [default: $RULEBOUND_DATA, else the user's data folder]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Networks of built-in problems trained at the same time [default: as many as there are threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Threads; the results do not depend on it [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Seconds between two checkpoints of a run
    #[arg(long, value_name = "S", default_value = "60")]
    checkpoint_every: u64,
    /// List the targets, their places in the paper and how long they take on this machine
    #[arg(long)]
    list: bool,
    /// Only list what would be trained, and what is there already
    #[arg(long)]
    dry_run: bool,
    /// Only write the report of what is there
    #[arg(long, conflicts_with_all = ["list", "dry_run"])]
    report: bool,
    /// Also write the report as Markdown; its figures go to a folder beside it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "dry_run"])]
    markdown: Option<PathBuf>,
    /// Print what was done, or the list, as JSON
    #[arg(long)]
    pub json: bool,
}

impl Reproduce {
    pub fn run(&self) -> Result<(), Failure> {
        use_threads(self.threads);
        let targets = self.targets()?;
        if self.list {
            let targets = if targets.is_empty() { Target::ALL.to_vec() } else { targets };
            let device = self.device.open()?;
            let request = PlanRequest { targets, ..self.request(Vec::new()) };
            return list::targets(&request, &device, self.json);
        }
        if targets.is_empty() && !self.report {
            let message = "no TARGET is given; --list shows them, `all` is every one";
            return Err(Failure::Usage(message.to_owned()));
        }
        let request = self.request(targets);
        let plan = Plan::new(&request)?;
        let folder = self.out.as_deref().map(Folder::new);
        if self.dry_run {
            return list::cells(&plan, folder.as_ref(), self.json);
        }
        let Some(folder) = folder else { return Ok(()) };
        let places = Places { folder: &folder, markdown: self.markdown.as_deref() };
        places.check()?;
        if self.report {
            places.write(&request, "not used")?;
            return self.tell_report(&folder);
        }
        let device = self.device.open()?;
        let reproduction = Reproduction {
            plan: &plan,
            folder: &folder,
            data_dir: self.data_dir.as_deref(),
            device: &device,
            jobs: self.jobs.map_or_else(rayon::current_num_threads, usize::from),
            checkpoint_interval: Duration::from_secs(self.checkpoint_every),
        };
        let stop = stop_on_signal();
        let progress = Progress::new(self.json);
        let result = reproduce(&reproduction, &progress, &stop);
        progress.clear();
        if matches!(result, Ok(_) | Err(ReproduceError::Stopped { .. })) {
            places.write(&request, &device.to_string())?;
        }
        let failed = result.map_err(|error| failure::reproduce::of(error, &folder))?;
        self.tell(&plan, &folder, failed)
    }

    fn request(&self, targets: Vec<Target>) -> PlanRequest {
        PlanRequest {
            targets,
            sets: self.sets.iter().map(|set| set.trim().to_owned()).collect(),
            seeds: self.seeds,
            searches_epochs: self.search_epochs,
        }
    }

    /// The targets, each once, in the order of the paper.
    fn targets(&self) -> Result<Vec<Target>, Failure> {
        let mut targets = Vec::new();
        let mut unknown = Vec::new();
        for name in &self.targets {
            match name.parse() {
                Ok(target) => targets.push(target),
                Err(_) if name == "all" => targets.extend(Target::ALL),
                Err(_) => unknown.push(format!("`{name}`")),
            }
        }
        if !unknown.is_empty() {
            let known = Target::NAMES.join(", ");
            let message = format!("{} is no target; there are {known}, all", unknown.join(", "));
            return Err(Failure::Usage(message));
        }
        targets.sort();
        targets.dedup();
        Ok(targets)
    }

    fn tell(&self, plan: &Plan, folder: &Folder, failed: Vec<Failed>) -> Result<(), Failure> {
        let results = folder.results();
        if !failed.is_empty() {
            return Err(failure::reproduce::of_batches(failed, self.json));
        }
        let rows = results.read().map_err(|error| failure::reproduce::of(error, folder))?;
        let (done, cells) = (Known::of(&rows).cells(plan), plan.cells());
        if self.json {
            screen::json(&json!({
                "results": results.path().display().to_string(),
                "networks": cells,
                "done": done,
                "report": folder.report().display().to_string(),
                "markdown": self.markdown.as_ref().map(|path| path.display().to_string()),
            }))?;
            return Ok(());
        }
        let mut text = match done < cells {
            true => format!(
                "{done} of {} have results; another process is at the others, and this command \
                 does again what it leaves\n",
                count(cells, "network")
            ),
            false => format!("{} have results\n", count(cells, "network")),
        };
        text += &self.written(folder, !rows.is_empty());
        screen::print(&text)?;
        Ok(())
    }

    fn tell_report(&self, folder: &Folder) -> Result<(), Failure> {
        let report = folder.report();
        if self.json {
            screen::json(&json!({
                "report": report.display().to_string(),
                "markdown": self.markdown.as_ref().map(|path| path.display().to_string()),
            }))?;
            return Ok(());
        }
        let has_results = folder.results().path().exists();
        if !has_results {
            anstream::eprintln!("note: there are no results in {}", folder.path().display());
        }
        screen::print(&self.written(folder, has_results))?;
        Ok(())
    }

    /// Where everything went.
    fn written(&self, folder: &Folder, has_results: bool) -> String {
        let mut places = Vec::new();
        if has_results {
            places.push(format!("results in {}", folder.results().path().display()));
        }
        places.push(format!("report in {}", folder.report().display()));
        places.extend(self.markdown.as_ref().map(|path| format!("and {}", path.display())));
        format!("{}\n", places.join(", "))
    }
}
