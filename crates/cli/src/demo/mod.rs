//! `rulebound demo`: the paper's first experiment in a few seconds, and its picture.

mod contest;
mod panels;

use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::interrupt::stop_on_signal;
use crate::screen;
use crate::text::{count, thousands};
use clap::Args;
use contest::{Contest, Entry};
use rulebound_core::metrics::Metric;
use rulebound_io::output::{OutputError, OutputFile};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Demonstration: train with and without rules, compare, draw
///
/// Three classes over the unit square, made of two rectangles, and three rules about
/// them. One network does not know the rules (`none`), its predictions are then made to
/// obey them (`post`), and one is trained with the rules (`ccn`). Sizes and settings are
/// the paper's (4 hidden units, tanh, Adam with learning rate 0.01, full batches of 2,500
/// points), except that training takes 3,000 epochs instead of 20,000.
#[derive(Args)]
#[command(after_help = "Examples:
  rulebound demo
  rulebound demo --seed 3 --picture boundaries.svg

Exit codes: 0 success, 1 the picture cannot be written there, 2 invalid command line, 4 the machine
failed, 130 interrupted.")]
pub struct Demo {
    /// Output file for the picture of the decision boundaries
    #[arg(long, value_name = "FILE.svg", default_value = "rulebound-demo.svg")]
    picture: PathBuf,
    /// Random seed of the points and the networks
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Number of training epochs
    #[arg(long, value_name = "N", default_value = "3000", hide = true, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Print the comparison as JSON
    #[arg(long)]
    pub json: bool,
}

impl Demo {
    pub fn run(&self) -> Result<(), Failure> {
        check_name(&self.picture)?;
        let stop = stop_on_signal();
        let contest = Contest::run(self.seed, self.epochs as usize, self.json, &stop)?;
        let picture = panels::draw(&contest)?;
        write_picture(&self.picture, &picture)?;
        match self.json {
            true => screen::json(&self.summary(&contest))?,
            false => screen::summary(&self.report(&contest))?,
        }
        Ok(())
    }

    fn summary(&self, contest: &Contest) -> serde_json::Value {
        let program = contest.data.program();
        let rules: Vec<String> =
            program.rules().iter().map(|rule| rule.display(program.labels()).to_string()).collect();
        let entry = |entry: &Entry| {
            json!({
                "method": entry.method.name(),
                "evaluation": entry.evaluation,
                "seconds": entry.seconds,
            })
        };
        json!({
            "problem": contest.data.name(),
            "rule_texts": rules,
            "seed": self.seed,
            "epochs": self.epochs,
            "methods": contest.entries.iter().map(entry).collect::<Vec<_>>(),
            "picture": self.picture.display().to_string(),
        })
    }

    fn report(&self, contest: &Contest) -> String {
        let program = contest.data.program();
        let mut text = String::from(
            "Points of the unit square: A1 is a small rectangle, A2 a large one without A1,\n\
             A is both together. Three rules:\n\n",
        );
        // Writing to a string cannot fail.
        for rule in program.rules() {
            let _ = writeln!(text, "  {}", rule.display(program.labels()));
        }
        let rows = contest.entries.first().map_or(0, |entry| entry.evaluation.rows);
        let _ = writeln!(
            text,
            "\nNetworks with 4 hidden units, trained for {} on {}, evaluated on {} others:\n",
            count(self.epochs as usize, "epoch"),
            count(contest.trained_on(), "point"),
            thousands(rows as u64),
        );
        let heads = ["AU(PRC)", "avg. prec.", "F1", "break a rule", "seconds"];
        let [area, precision, f1, broken, seconds] = heads;
        let _ = writeln!(
            text,
            "  {:40}  {area}  {precision}  {f1:>6}  {broken:>14}  {seconds}",
            "method"
        );
        for Entry { method, evaluation, seconds, .. } in &contest.entries {
            let metrics = &evaluation.metrics;
            let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.4}"));
            let broken = evaluation.violations.map_or(0, |violations| violations.rows) as u64;
            let broken = format!("{} of {}", thousands(broken), thousands(rows as u64));
            let _ = writeln!(
                text,
                "  {:5} {:34}  {:>7}  {:>10}  {:>6}  {broken:>14}  {seconds:7.1}",
                method.name(),
                contest::description(*method),
                number(metrics.get(Metric::Auprc)),
                number(metrics.get(Metric::AveragePrecision)),
                number(metrics.get(Metric::MicroF1)),
            );
        }
        let _ = write!(
            text,
            "\nThe decision boundaries are drawn in {}\n\n\
             Next:\n  \
             rulebound train --help     train on your own data\n  \
             rulebound apply --help     apply rules to the scores of your own model\n  \
             rulebound explain --help   see which rules decided a score\n",
            self.picture.display(),
        );
        text
    }
}

/// A picture is an SVG file, and one that cannot be written is reported before anything is trained.
fn check_name(path: &Path) -> Result<(), Failure> {
    let is_svg = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    match is_svg {
        true => OutputFile::create(path).map(drop).map_err(unwritable),
        false => {
            let path = path.display();
            let message =
                format!("--picture {path}: the picture is SVG, so its name must end in .svg");
            Err(Failure::Usage(message))
        }
    }
}

fn write_picture(path: &Path, picture: &str) -> Result<(), Failure> {
    let mut file = OutputFile::create(path).map_err(unwritable)?;
    let written = file.write_all(picture.as_bytes());
    written.map_err(|source| unwritable(OutputError::Write { path: path.to_owned(), source }))?;
    file.commit().map_err(unwritable)
}

fn unwritable(error: OutputError) -> Failure {
    Diagnostic::from_error("picture", &error)
        .with_hint("choose another place with --picture FILE.svg")
        .into()
}
