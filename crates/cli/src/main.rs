//! The command line of rulebound: one file per command, this one is the table
//! of contents.

mod apply;
mod arguments;
mod bench;
mod check;
mod choice;
mod compare;
mod data;
mod demo;
mod devices;
mod diagnostic;
mod evaluate;
mod explain;
mod failure;
mod interrupt;
mod label_arguments;
mod mine;
mod model;
mod predict;
mod reproduce;
mod screen;
mod text;
mod train;
mod tune;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Multi-label predictions that always satisfy the rules you wrote.
///
/// Write rules, one per line (`stomach -> abdomen`), check them, and apply them to
/// the scores of any model: the output never breaks a rule.
#[derive(Parser)]
#[command(name = "rulebound", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Check),
    Apply(apply::Apply),
    Explain(explain::Explain),
    Evaluate(evaluate::Evaluate),
    Compare(compare::Compare),
    Data(data::Data),
    Mine(mine::Mine),
    Train(train::Train),
    Predict(predict::Predict),
    Model(model::ModelCommand),
    Tune(tune::Tune),
    Reproduce(reproduce::Reproduce),
    Demo(demo::Demo),
    Devices(devices::Devices),
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && std::env::args_os().any(|word| word == "--json") => {
            return Failure::from(error).report(true);
        }
        // Also the help and the version.
        Err(error) => error.exit(),
    };
    let (result, json) = match cli.command {
        Command::Check(command) => (command.run(), command.json),
        Command::Apply(command) => (command.run(), command.json),
        Command::Explain(command) => (command.run(), command.json),
        Command::Evaluate(command) => (command.run(), command.json),
        Command::Compare(command) => (command.run(), command.json),
        Command::Data(command) => (command.run(), command.json()),
        Command::Mine(command) => (command.run(), command.json),
        Command::Train(command) => (command.run(), command.json),
        Command::Predict(command) => (command.run(), command.json),
        Command::Model(command) => (command.run(), command.json()),
        Command::Tune(command) => (command.run(), command.json),
        Command::Reproduce(command) => (command.run(), command.json),
        Command::Demo(command) => (command.run(), command.json),
        Command::Devices(command) => (command.run(), command.json),
        Command::Bench(command) => (command.run(), command.json),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_fit_together() {
        super::Cli::command().debug_assert();
    }
}
