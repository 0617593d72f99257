//! `rulebound compare`: methods over many sets, and whether they differ.

mod text;

use crate::arguments::{expect_apart, expect_stdin_once};
use crate::diagnostic::Diagnostic;
use crate::failure::{self, Failure};
use crate::screen;
use crate::text::{count, some_names};
use clap::Args;
use rulebound::compare::{Comparison, MetricName, Missing, Request, ResultTable, Scores, diagram};
use rulebound::input::is_standard;
use rulebound::output::OutputFile;
use rulebound_core::metrics::Direction;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compare methods over many sets: ranks, tests, critical differences
///
/// Reads tables of results and says which method is the best on average, and
/// which differences are more than chance: average ranks, the Friedman test,
/// the Nemenyi test with its diagram, and the Wilcoxon signed-rank test of one
/// method against each other.
#[derive(Args)]
#[command(after_help = "Examples:
  printf 'set,A,B\\nx,0.8,0.7\\ny,0.6,0.5\\nz,0.9,0.4\\n' > results.csv
  rulebound compare results.csv --metric auprc

  rulebound compare results.csv more.csv --metric one_error --against B --markdown
  rulebound compare run/results.csv --metric auprc --methods ccn,post,cm
  rulebound compare results.csv --higher --diagram ranks.svg --json

A table has the columns set, method, metric, value (a row for each value; several, one a
seed, are averaged), or set, method and a column for each metric, or set and a column for each
method. Tables are .csv or .tsv, also with .gz; `-` is CSV on standard input.
What the numbers mean: docs/compare.md.
Exit code 0: fine, 1: the input is wrong, 2: the command line is wrong.")]
pub struct Compare {
    /// The tables of results; several are put together
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,
    /// Which metric, where the tables have several
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Only these methods, with commas between
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Vec<String>,
    /// More is better; needed where the metric is not one of `rulebound evaluate`
    #[arg(long)]
    higher: bool,
    /// Less is better
    #[arg(long, conflicts_with = "higher")]
    lower: bool,
    /// The method that all others are tested against [default: the first]
    #[arg(long, value_name = "METHOD")]
    against: Option<String>,
    /// The chance of finding a difference where there is none
    #[arg(long, value_name = "ALPHA", default_value_t = 0.05, allow_negative_numbers = true)]
    alpha: f64,
    /// A set that lacks a method is left out, or that method is the last there
    #[arg(long, value_name = "HOW", default_value = "leave-out", value_parser = ["leave-out", "last"])]
    missing: String,
    /// Also draw the critical-difference diagram, as SVG
    #[arg(long, value_name = "FILE")]
    diagram: Option<PathBuf>,
    /// Print the result as Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl Compare {
    pub fn run(&self) -> Result<(), Failure> {
        let places: Vec<(&str, Option<&Path>)> =
            self.results.iter().map(|path| ("one table", Some(path.as_path()))).collect();
        expect_stdin_once(&places)
            .map_err(|_| Failure::Usage("only one table can be standard input".to_owned()))?;
        if self.diagram.as_deref().is_some_and(is_standard) {
            let message = "--diagram needs a file: standard output is for the result";
            return Err(Failure::Usage(message.to_owned()));
        }
        for path in &self.results {
            expect_apart(&[("RESULTS", Some(path)), ("--diagram", self.diagram.as_deref())])?;
        }
        let scores = self.scores()?;
        let comparison = Comparison::new(&scores, &self.request())?;
        if let Some(path) = &self.diagram {
            write(path, &diagram(&comparison))?;
        }
        self.warn(&comparison);
        if self.json {
            // Straight to text: a `Value` would sort the keys.
            let text = serde_json::to_string_pretty(&comparison).map_err(std::io::Error::from)?;
            screen::print(&format!("{text}\n"))?;
        } else if self.markdown {
            screen::print(&text::markdown(&comparison))?;
        } else {
            screen::print(&text::plain(&comparison))?;
        }
        Ok(())
    }

    /// The values of the metric, from all files; with the mistakes of all files, if any has one.
    fn scores(&self) -> Result<Scores, Failure> {
        let metric = self.metric.as_deref().map(MetricName::new);
        let mut table = ResultTable::default();
        let mut diagnostics = Vec::new();
        for path in &self.results {
            if let Err(error) = table.read(path, metric.as_ref()) {
                diagnostics.extend(failure::compare::of_table(&error));
            }
        }
        if !diagnostics.is_empty() {
            return Err(Failure::Input(diagnostics));
        }
        let scores = table.choose(metric.as_ref())?;
        match &self.methods[..] {
            [] => Ok(scores),
            methods => Ok(scores.only(methods)?),
        }
    }

    fn request(&self) -> Request {
        Request {
            direction: match (self.higher, self.lower) {
                (true, _) => Some(Direction::Higher),
                (_, true) => Some(Direction::Lower),
                _ => None,
            },
            against: self.against.clone(),
            alpha: self.alpha,
            missing: if self.missing == "last" { Missing::Last } else { Missing::LeaveOut },
        }
    }

    /// Tells, beside the result, of sets that lack a method.
    fn warn(&self, comparison: &Comparison) {
        if comparison.lacking.is_empty() {
            return;
        }
        let told: Vec<String> = comparison
            .lacking
            .iter()
            .map(|lacking| format!("{} (no {})", lacking.set, lacking.methods.join(", ")))
            .collect();
        let count = count(told.len(), "set");
        let names = some_names(told.iter().map(String::as_str), told.len(), 10);
        let (what, hint) = if comparison.left_out {
            ("left out", "with --missing last, a method without a value is the last there")
        } else {
            ("ranked with the absent method last", "the Wilcoxon tests leave such pairs out")
        };
        let message = format!("{count} {what}: {names}");
        let warning = Diagnostic { warning: true, ..Diagnostic::plain("lacking", message) };
        anstream::eprintln!("{}", warning.with_hint(hint).draw());
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: &dyn std::error::Error| Diagnostic::from_error("output", error);
    let mut file = OutputFile::create(path).map_err(|error| failed(&error))?;
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| {
        let message = format!("cannot write {}: {error}", path.display());
        Diagnostic::plain("output", message)
    })?;
    Ok(file.commit().map_err(|error| failed(&error))?)
}
