//! `rulebound reproduce`: the experiments of the paper.

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
use report::ReportPaths;
use rulebound_reproduction::{
    Failed, Folder, Known, Plan, PlanRequest, ReproduceError, Reproduction, Target, reproduce,
};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Reproduce the paper's experiments and compare the results with its numbers
///
/// The results of every finished network are appended to DIR/results.csv at once, those
/// of other systems to DIR/systems.csv: run the same command again to resume. Several processes, also on several machines
/// that share DIR, divide the work. DIR/report.html compares the results with those
/// of the paper.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound reproduce --list
  rulebound reproduce hmc --sets derisi_FUN --seeds 1 --list
  rulebound reproduce rectangles nine-rectangles --out run
  rulebound reproduce hmc --sets cellcycle_FUN,seq_FUN --seeds 3 --out run
  rulebound reproduce lcmc-systems lcmc-blend --sets emotions --out run
  rulebound reproduce all --device cuda --out run
  rulebound reproduce --report --out run --markdown results.md
  rulebound compare run/results.csv --metric auprc --methods ccn,post,cm

The networks of one data set and method are trained together, one per seed; each is the same as if
trained alone, and their ensemble has its own line in the results. If you ask for more seeds later,
they are all trained again for the larger ensemble. On a GPU, networks are trained there and
everything else on the CPU.
Exit codes: 0 success, 1 invalid input or a failed network, 2 invalid command line, 4 the machine
failed, 130 interrupted.")]
pub struct Reproduce {
    /// What to reproduce: names from --list, or `all`
    #[arg(value_name = "TARGETS")]
    targets: Vec<String>,
    /// Folder for results, report, logs and models
    #[arg(long, value_name = "DIR", required_unless_present_any = ["list", "dry_run"])]
    out: Option<PathBuf>,
    /// Number of runs per data set and method, with seeds from 0
    #[arg(long, value_name = "N", default_value = "10")]
    seeds: usize,
    /// Only these data sets (comma-separated); steps are named `rectangles-5`, `three-classes-5`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    sets: Vec<String>,
    /// Only these systems (comma-separated), named as in the results: `ccn`, `hmcn-f-paper`, `blend`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    systems: Vec<String>,
    /// Find the number of epochs for hierarchies by early stopping instead of using the published one
    #[arg(long)]
    search_epochs: bool,
    #[command(flatten)]
    device: DeviceArguments,
    /// Folder with the data sets of the paper [default: $RULEBOUND_DATA, else the user's data folder]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Networks of built-in problems trained in parallel [default: the number of threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Number of threads; does not affect the results [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Seconds between checkpoints of a run
    #[arg(long, value_name = "S", default_value = "60")]
    checkpoint_every: u64,
    /// List the targets, where they are in the paper and how long they take on this machine
    #[arg(long)]
    list: bool,
    /// Only list what would be trained and what is done already
    #[arg(long)]
    dry_run: bool,
    /// Only write the report of the existing results
    #[arg(long, conflicts_with_all = ["list", "dry_run"])]
    report: bool,
    /// Also write the report as Markdown, with its figures in a folder next to it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "dry_run"])]
    markdown: Option<PathBuf>,
    /// Print the summary or the list as JSON
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
            let message = "no TARGET given; --list shows the targets, `all` selects all of them";
            return Err(Failure::Usage(message.to_owned()));
        }
        let request = self.request(targets);
        let plan = Plan::new(&request)?;
        let folder = self.out.as_deref().map(Folder::new);
        if self.dry_run {
            return list::cells(&plan, folder.as_ref(), self.json);
        }
        let Some(folder) = folder else { return Ok(()) };
        let report_paths = ReportPaths { folder: &folder, markdown: self.markdown.as_deref() };
        report_paths.check()?;
        if self.report {
            report_paths.write(&request, "not used")?;
            return self.print_report_paths(&folder);
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
            report_paths.write(&request, &device.to_string())?;
        }
        let failed = result.map_err(|error| failure::reproduce::from_run(error, &folder))?;
        self.print_summary(&plan, &folder, failed)
    }

    fn request(&self, targets: Vec<Target>) -> PlanRequest {
        PlanRequest {
            targets,
            sets: self.sets.iter().map(|set| set.trim().to_owned()).collect(),
            systems: self.systems.iter().map(|system| system.trim().to_owned()).collect(),
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
            let message = format!("unknown target {}; expected {known} or all", unknown.join(", "));
            return Err(Failure::Usage(message));
        }
        targets.sort();
        targets.dedup();
        Ok(targets)
    }

    fn print_summary(
        &self,
        plan: &Plan,
        folder: &Folder,
        failed: Vec<Failed>,
    ) -> Result<(), Failure> {
        let results = folder.results();
        if !failed.is_empty() {
            return Err(failure::reproduce::from_failed(failed, self.json));
        }
        let rows = results.read().map_err(|error| failure::reproduce::from_run(error, folder))?;
        let (done, cells) = (Known::from_rows(&rows).cells(plan), plan.cells());
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
                "{done} of {} have results; the rest is being trained by another process; run this \
                 command again for whatever it leaves unfinished\n",
                count(cells, "run")
            ),
            false => finished(cells),
        };
        text += &self.written(folder);
        screen::summary(&text)?;
        Ok(())
    }

    fn print_report_paths(&self, folder: &Folder) -> Result<(), Failure> {
        let report = folder.report();
        if self.json {
            screen::json(&json!({
                "report": report.display().to_string(),
                "markdown": self.markdown.as_ref().map(|path| path.display().to_string()),
            }))?;
            return Ok(());
        }
        if tables(folder).is_empty() {
            screen::note(format_args!("note: no results in {}", folder.path().display()));
        }
        screen::summary(&self.written(folder))?;
        Ok(())
    }

    /// Where the output is.
    fn written(&self, folder: &Folder) -> String {
        let mut places = Vec::new();
        let tables = tables(folder);
        if !tables.is_empty() {
            places.push(format!("results in {}", tables.join(" and ")));
        }
        places.push(format!("report in {}", folder.report().display()));
        places.extend(self.markdown.as_ref().map(|path| format!("and {}", path.display())));
        format!("{}\n", places.join(", "))
    }
}

/// The files of results that exist.
fn tables(folder: &Folder) -> Vec<String> {
    let results = folder.results();
    let paths = [results.path(), results.systems_path()];
    let existing = paths.into_iter().filter(|path| path.exists());
    existing.map(|path| path.display().to_string()).collect()
}

/// `1 run has results`.
fn finished(runs: usize) -> String {
    let verb = if runs == 1 { "has" } else { "have" };
    format!("{} {verb} results\n", count(runs, "run"))
}

#[cfg(test)]
mod tests {
    use super::finished;

    #[test]
    fn one_run_has_and_two_runs_have_results() {
        assert_eq!(finished(1), "1 run has results\n");
        assert_eq!(finished(2), "2 runs have results\n");
    }
}
