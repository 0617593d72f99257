//! `rulebound compare`: whether methods differ across data sets.

mod text;

use crate::arguments::expect_stdin_once;
use crate::choice::one_of;
use crate::diagnostic::Diagnostic;
use crate::failure::{self, Failure};
use crate::screen;
use crate::text::{count, some_names};
use clap::Args;
use rulebound_compare::{Comparison, MetricName, Missing, Request, ResultTable, Scores, diagram};
use rulebound_core::metrics::Direction;
use rulebound_io::input::is_standard;
use rulebound_io::output::{OutputError, OutputFile};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compare methods across data sets: ranks, tests, critical differences
///
/// Reads tables of results and reports which method is best on average and which
/// differences are significant: average ranks, the Friedman test, the Nemenyi test
/// with its diagram, and the Wilcoxon signed-rank test of one method against each of
/// the others.
#[derive(Args)]
#[command(after_help = "Examples:
  printf 'set,A,B\\nx,0.8,0.7\\ny,0.6,0.5\\nz,0.9,0.4\\n' > results.csv
  rulebound compare results.csv --metric auprc

  rulebound compare results.csv more.csv --metric one_error --against B --markdown
  rulebound compare run/results.csv --metric auprc --methods ccn,post,cm
  rulebound compare results.csv --higher --diagram ranks.svg --json

A table has the columns set, method, metric, value (one row per value; several values, such as
one per seed, are averaged), or set, method and one column per metric, or set and one column per
method. Tables are .csv or .tsv, optionally gzipped (.gz); `-` is CSV on standard input.
How to read the numbers: docs/compare-results.md.
Exit codes: 0 success, 1 invalid input, 2 invalid command line, 4 the machine failed.")]
pub struct Compare {
    /// Tables of results; several are combined
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,
    /// Metric to compare, if the tables have several
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Compare only these methods (comma-separated)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Vec<String>,
    /// Higher is better; needed if the metric is not one of `rulebound evaluate`
    #[arg(long)]
    higher: bool,
    /// Lower is better
    #[arg(long, conflicts_with = "higher")]
    lower: bool,
    /// Method that all others are tested against [default: the first]
    #[arg(long, value_name = "METHOD")]
    against: Option<String>,
    /// Significance level
    #[arg(long, value_name = "ALPHA", default_value_t = 0.05, allow_negative_numbers = true)]
    alpha: f64,
    /// For data sets without a value for some method: drop the data set, or rank that method last
    #[arg(long, value_name = "HOW", default_value = "leave-out", value_parser = one_of::<Missing>(Missing::NAMES))]
    missing: Missing,
    /// Also draw the critical-difference diagram to this file (SVG)
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
            self.results.iter().map(|path| ("a table", Some(path.as_path()))).collect();
        expect_stdin_once(&places)
            .map_err(|_| Failure::Usage("only one table can be standard input".to_owned()))?;
        if self.diagram.as_deref().is_some_and(is_standard) {
            let message = "--diagram must be a file; standard output is for the result";
            return Err(Failure::Usage(message.to_owned()));
        }
        let scores = self.scores()?;
        let comparison = Comparison::new(&scores, &self.request())?;
        if let Some(path) = &self.diagram {
            write(path, &diagram(&comparison))?;
        }
        self.warn(&comparison);
        if self.json {
            // Not as a `Value`, which would sort the keys.
            screen::json(&comparison)?;
        } else if self.markdown {
            screen::print(&text::markdown(&comparison))?;
        } else {
            screen::print(&text::plain(&comparison))?;
        }
        Ok(())
    }

    /// The values of the metric from all files; or the errors of all files, if any has one.
    fn scores(&self) -> Result<Scores, Failure> {
        let metric = self.metric.as_deref().map(MetricName::new);
        let mut table = ResultTable::default();
        let mut diagnostics = Vec::new();
        for path in &self.results {
            if let Err(error) = table.read(path, metric.as_ref()) {
                diagnostics.extend(failure::compare::table_diagnostics(&error));
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
            missing: self.missing,
        }
    }

    /// Warns about data sets without a value for some method.
    fn warn(&self, comparison: &Comparison) {
        if comparison.lacking.is_empty() {
            return;
        }
        let gaps: Vec<String> = comparison
            .lacking
            .iter()
            .map(|lacking| format!("{} (no {})", lacking.set, lacking.methods.join(", ")))
            .collect();
        let count = count(gaps.len(), "data set");
        let names = some_names(gaps.iter().map(String::as_str), gaps.len(), 10);
        let (what, hint) = if comparison.left_out {
            ("dropped", "--missing last keeps them and ranks a method without a value last")
        } else {
            ("ranked with the missing method last", "the Wilcoxon tests skip such pairs")
        };
        let message = format!("{count} {what}: {names}");
        let warning = Diagnostic { warning: true, ..Diagnostic::plain("lacking", message) };
        screen::note_drawn(warning.with_hint(hint).draw());
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: OutputError| Diagnostic::from_error("output", &error);
    let mut file = OutputFile::create(path).map_err(failed)?;
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| {
        let message = format!("cannot write {}: {error}", path.display());
        Diagnostic::plain("output", message).because_of(&error)
    })?;
    Ok(file.commit().map_err(failed)?)
}
