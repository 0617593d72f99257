//! The command line of rulebound: one file per command, this one is the table
//! of contents.

mod apply;
mod arguments;
mod bench;
mod calibrate;
mod check;
mod checksum_arguments;
mod choice;
mod compare;
mod completions;
mod config;
mod data;
mod demo;
mod devices;
mod diagnostic;
mod evaluate;
mod explain;
mod export;
mod failure;
mod files;
mod hidden_classes;
mod importance;
mod interrupt;
mod label_arguments;
mod long_arguments;
mod man;
mod merge_models;
mod mine;
mod model;
mod network;
mod note_arguments;
mod predict;
mod reproduce;
mod score_changes;
mod screen;
mod set_thresholds;
mod text;
mod train;
mod tune;
mod tune_thresholds;
mod unusual;
mod version;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use config::{RunRecord, Words};
use failure::Failure;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Multi-label predictions that always satisfy the rules you wrote.
///
/// Write rules, one per line (`stomach -> abdomen`), check them, and apply them to
/// the scores of any model: the output never breaks a rule.
#[derive(Parser)]
#[command(name = "rulebound", version = version::SHORT, long_version = version::LONG.as_str(), propagate_version = true, arg_required_else_help = true)]
struct Cli {
    /// Print results and errors only: no progress, notes or summaries
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Every command")]
    quiet: bool,
    /// Also print what is read, the settings and the time it takes, to standard error
    #[arg(short, long, global = true, help_heading = "Every command")]
    verbose: bool,
    /// Begin every line on standard error, and every event in the log of a training run, with the time (UTC)
    #[arg(long, global = true, help_heading = "Every command")]
    timestamps: bool,
    /// TOML file with options by their long names; those on the command line win
    // Read in `config`, before this is parsed.
    #[arg(long, global = true, value_name = "FILE.toml", help_heading = "Every command")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Check),
    Apply(apply::Apply),
    Explain(explain::Explain),
    Importance(importance::ImportanceCommand),
    Evaluate(evaluate::Evaluate),
    Compare(compare::Compare),
    Data(data::Data),
    Mine(mine::Mine),
    Train(Box<train::Train>),
    Predict(predict::Predict),
    Model(model::ModelCommand),
    Export(Box<export::Export>),
    Tune(tune::Tune),
    TuneThresholds(Box<tune_thresholds::TuneThresholds>),
    Calibrate(calibrate::Calibrate),
    Reproduce(reproduce::Reproduce),
    Demo(demo::Demo),
    Devices(devices::Devices),
    Bench(bench::Bench),
    Completions(completions::Completions),
    Man(man::Man),
}

fn main() -> ExitCode {
    let start = Instant::now();
    rulebound_io::output::report_size_limits();
    let json = std::env::args_os().any(|word| word == "--json");
    let mut root = Cli::command();
    root.build();
    let words = match Words::new(&root, std::env::args_os().collect()) {
        Ok(words) => words,
        Err(failure) => return failure.report(json),
    };
    let parsed = Cli::command()
        .try_get_matches_from(&words.all)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => match words.failure(&error) {
            Some(failure) => return failure.report(json),
            None if error.use_stderr() && json => return Failure::from(error).report(true),
            // Also the help and the version.
            None => error.exit(),
        },
    };
    screen::set_volume(cli.quiet, cli.verbose);
    screen::set_timestamps(cli.timestamps);
    if let Some(config) = &cli.config {
        screen::detail(|| format!("options from {}", config.display()));
    }
    if let Err(failure) = files::expect_apart(&root, &matches) {
        return failure.report(json);
    }
    let (result, json) = cli.command.run(root, &matches);
    screen::detail(|| format!("finished in {:.2} s", start.elapsed().as_secs_f64()));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}

impl Command {
    /// Runs the command; also whether errors are JSON.
    fn run(self, root: clap::Command, matches: &ArgMatches) -> (Result<(), Failure>, bool) {
        let record = || RunRecord::new(&root, matches);
        match self {
            Self::Check(command) => (command.run(), command.json),
            Self::Apply(command) => (command.run(), command.json),
            Self::Explain(command) => (command.run(), command.json),
            Self::Importance(command) => (command.run(), command.json),
            Self::Evaluate(command) => (command.run(), command.json),
            Self::Compare(command) => (command.run(), command.json),
            Self::Data(command) => (command.run(), command.json()),
            Self::Mine(command) => (command.run(), command.json),
            Self::Train(command) => (command.run(record()), command.json),
            Self::Predict(command) => (command.run(), command.json),
            Self::Model(command) => (command.run(), command.json()),
            Self::Export(command) => (command.run(), command.json),
            Self::Tune(command) => (command.run(record()), command.json),
            Self::TuneThresholds(command) => (command.run(), command.json),
            Self::Calibrate(command) => (command.run(), command.json),
            Self::Reproduce(command) => (command.run(), command.json),
            Self::Demo(command) => (command.run(), command.json),
            Self::Devices(command) => (command.run(), command.json),
            Self::Bench(command) => (command.run(), command.json),
            Self::Completions(command) => (command.run(root), false),
            Self::Man(command) => (command.run(&root), false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_fit_together() {
        Cli::command().debug_assert();
    }
}
