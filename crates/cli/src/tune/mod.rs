//! `rulebound tune`: the settings that score best on the validation rows.

mod axes;
mod progress;
mod report;

use crate::arguments::use_threads;
use crate::checksum_arguments::ChecksumArguments;
use crate::config::RunRecord;
use crate::data::{SourceArguments, warn_of_doubts};
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::interrupt::stop_on_signal;
use crate::label_arguments::LabelArguments;
use crate::screen;
use crate::text::{count, quoted};
use axes::{Axes, Protocol};
use clap::Args;
use progress::Progress;
use rulebound::storage::Storage;
use rulebound::train::{Configuration, EarlyStopping, LabelPolicy, TrainError};
use rulebound::tune::{Grid, Point, TooManyPoints, TuneError, Tuner};
use rulebound_io::output::Existing;
use rulebound_reproduction::{hierarchy_grid, paper_grid};
use std::path::PathBuf;

/// Search for the settings that score best on the validation rows
///
/// Tries all points of the paper's grid (the one for hierarchies or the one for
/// general rules, depending on the data), or --budget of them at random; any axis
/// can be replaced. Each point is trained with early stopping and scored by its best
/// epoch, averaged over --members. Every finished point is appended to --out at once:
/// run the same command again to resume.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound tune rectangles --hidden 8,16,32 --batches 64 --max-epochs 50 --out tuned.csv
  rulebound tune cellcycle_FUN --budget 50 --members 3 --out tuned.csv
  rulebound tune yeast --monitor loss --dry-run --out tuned.csv

Also writes tuned.csv.toml (the options of this search, for --config); while a point is being
trained, its checkpoint is next to the table.
Exit codes: 0 success, 1 invalid input, 2 invalid command line, 4 the machine failed, 130 interrupted.")]
pub struct Tune {
    #[command(flatten)]
    source: SourceArguments,
    /// Table of trials (CSV), one per line; trials already in it are skipped
    #[arg(long, value_name = "tuned.csv")]
    out: PathBuf,
    /// Try N random points instead of the whole grid; run again with a larger N to add more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// Points trained in parallel; each needs its own memory
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// Only list the points and the number of parameters of each network
    #[arg(long)]
    dry_run: bool,
    /// Number of threads; does not affect the result [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    checksums: ChecksumArguments,
    #[command(flatten, next_help_heading = "Labels")]
    labels: LabelArguments,
    #[command(flatten)]
    axes: Axes,
    #[command(flatten)]
    protocol: Protocol,
    /// Print the trials as JSON, best first
    #[arg(long)]
    pub json: bool,
}

/// More points than this cause a note.
const MANY: usize = 100;

impl Tune {
    pub fn run(&self, mut record: RunRecord) -> Result<(), Failure> {
        let name = self.out.to_string_lossy();
        if name == "-" || name.ends_with(".gz") {
            let message = "--out: the table grows line by line, so it must be an uncompressed file";
            return Err(Failure::Usage(message.to_owned()));
        }
        use_threads(self.threads);
        let early = self.protocol.early();
        let asked = self.labels.policy();
        let by_name = self.source.labels_by_name();
        let policy = asked.unwrap_or(LabelPolicy::default_for(by_name));
        let mut base = self.protocol.configuration(early.clone(), policy);
        // Checked before the data is read; the paper's own values are always valid.
        let mut mistakes = base.mistakes();
        if mistakes.is_empty() {
            mistakes = self.axes.replace(hierarchy_grid()).mistakes(&base);
        }
        if !mistakes.is_empty() {
            return Err(TrainError::Configuration(mistakes).into());
        }
        let mut files = self.source.named_files();
        files.extend(self.labels.named_files());
        self.checksums.expect(&self.source, &files)?;
        let data = self.labels.counted(self.source.read_with(
            self.labels.classes()?,
            asked,
            self.labels.weight_column.clone(),
            Storage::Memory,
        )?);
        warn_of_doubts(&data);
        base.class_weights = self.labels.class_weights(&self.source.class_names(&data))?;
        self.source.expect_whole_groups(&data, &base.stopping)?;
        let grid = self.axes.replace(paper_grid(&self.source.source(), data.program()));
        let points = self.points(&grid, base.seed)?;
        if self.dry_run {
            return report::list(&data, &points, self.json);
        }
        axes::record(&grid, &base, &mut record);
        let source = self.source.checksum()?.map(|(_, checksum)| checksum);
        record.read(ChecksumArguments::of(source.as_deref(), &files)?);
        screen::detail(|| record.to_toml());
        record.write_beside(&self.out, Existing::Keep)?;
        self.announce(&points);
        let stop = stop_on_signal();
        let progress = Progress::new(self.json, early.monitor);
        let mut tuner = Tuner::new(base.clone())
            .table(&self.out)
            .jobs(self.jobs.into())
            .observer(&progress)
            .stop(&stop);
        if let Some(limit) = self.source.memory_limit() {
            tuner = tuner.memory_limit(limit);
        }
        let result = tuner.run(&data, &points);
        progress.clear();
        let trials = result.map_err(|error| self.failure(error))?;
        let command = |point: &Point| self.command(point, &base, &early);
        report::print_summary(trials, early.monitor, base.members, &self.out, command, self.json)
    }

    fn points(&self, grid: &Grid, seed: u64) -> Result<Vec<Point>, Failure> {
        let points = match self.budget {
            Some(budget) => grid.random(usize::try_from(budget).unwrap_or(usize::MAX), seed),
            None => grid.points(),
        };
        points.map_err(|error: TooManyPoints| Failure::Usage(error.to_string()))
    }

    fn announce(&self, points: &[Point]) {
        if self.json || self.budget.is_some() || points.len() <= MANY {
            return;
        }
        screen::note(format_args!(
            "note: the whole grid has {}, which takes long; --budget 50 tries 50 of them at random",
            count(points.len(), "point"),
        ));
    }

    /// The command that trains the network of a point as it was tried.
    fn command(&self, point: &Point, base: &Configuration, early: &EarlyStopping) -> String {
        let mut words = vec!["rulebound".to_owned(), "train".to_owned()];
        words.extend(self.source.words());
        words.extend(self.labels.words());
        words.extend(axes::words(point, base, early));
        words.extend(["--out".to_owned(), "best.rulebound".to_owned()]);
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    fn failure(&self, error: TuneError) -> Failure {
        let out = self.out.display();
        let hint = match error {
            TuneError::Stopped { done, points } => {
                return Failure::Interrupted(format!(
                    "{out} has {done} of {}; run the same command again to continue",
                    count(points, "point"),
                ));
            }
            TuneError::OtherSearch { .. } => {
                "give another --out, or the options and data it was made with"
            }
            TuneError::NotATable { .. } => "give another --out",
            TuneError::Train(TrainError::TooFewRows { .. }) => {
                "try a larger --holdout, or data with validation rows"
            }
            TuneError::Train(TrainError::Checkpoint(_)) => {
                "delete that file to start the point over"
            }
            TuneError::Train(error) => return error.into(),
            _ => return Diagnostic::from_error("tune", &error).into(),
        };
        Diagnostic::from_error("tune", &error).with_hint(hint).into()
    }
}
