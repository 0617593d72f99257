//! `rulebound mine`: rules that hold among the labels of a data set.

use crate::choice;
use crate::data::{SourceArguments, rows_of, write_text};
use crate::failure::Failure;
use crate::screen;
use crate::text::{count, thousands};
use clap::Args;
use rulebound::mine::{Mined, Options, mine, mine_requirements};
use rulebound_io::input::is_standard;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Find rules among the labels of a data set
///
/// Finds every rule that meets --min-support and --min-confidence and is not implied
/// by a rule with a smaller body. The result is stratified, so it can be used as it
/// is. Rules are mined on the training rows by default: rules mined on test rows
/// leak the answers.
#[derive(Args)]
#[command(after_help = "Example:
  rulebound mine three-classes --negation --out mined.rules
  rulebound check mined.rules

Support is the fraction of rows in which the body holds; confidence is the fraction of those in
which the head holds too.")]
pub struct Mine {
    #[command(flatten)]
    source: SourceArguments,
    /// Output file for the rules; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Minimum support: fraction of rows in which the body must hold (0: at least one row)
    /// [default: 0.01, but at least 10 rows]
    #[arg(long, value_name = "S")]
    min_support: Option<f64>,
    /// Minimum confidence: fraction of those rows in which the head must hold too
    #[arg(long, value_name = "C", default_value = "1")]
    min_confidence: f64,
    /// Maximum number of literals in a body
    #[arg(long, value_name = "N", default_value = "3")]
    max_body: usize,
    /// Allow negated literals in bodies
    #[arg(long)]
    negation: bool,
    /// Also find requirements: classes that exclude each other, and classes of which there is always one
    #[arg(long)]
    requirements: bool,
    /// Split to mine
    #[arg(long, value_name = "SPLIT", default_value = "train", value_parser = choice::split())]
    split: String,
    /// Keep rules that close a cycle through a negation; the result may then need editing before use
    #[arg(long)]
    keep_unstratified: bool,
    /// Give up after finding this many rules
    #[arg(long, value_name = "N", default_value = "1000000")]
    max_rules: usize,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl Mine {
    pub fn run(&self) -> Result<(), Failure> {
        let data = self.source.read()?;
        let rows = rows_of(&data, &self.split)?;
        let support = self.min_support.unwrap_or(Options::meaningful_support(rows.len()));
        let options = Options {
            min_support: support,
            min_confidence: self.min_confidence,
            max_body: self.max_body,
            negation: self.negation,
            keep_unstratified: self.keep_unstratified,
            max_rules: self.max_rules,
            ..Options::default()
        };
        let mined = mine(data.labels(), rows.clone(), &options)?;
        let mut text = mined.display(data.classes(), data.name(), &self.split).to_string();
        let required = match self.requirements {
            true => mine_requirements(data.labels(), rows)?,
            false => Vec::new(),
        };
        for one in &required {
            // Writing to a string cannot fail.
            let shown = one.requirement.display(data.classes());
            let (rows, expected) = (count(one.rows, "row"), one.expected);
            let _ = writeln!(
                text,
                "{shown}   # holds in all of {rows}; by chance {expected:.0} would break it"
            );
        }
        write_text(&self.out, &text)?;
        self.warn(&mined);
        self.print_summary(&mined, required.len())
    }

    /// Rules are hard constraints, so one that holds by chance does harm.
    fn warn(&self, mined: &Mined) {
        let few = mined.resting_on_few_rows();
        if few == 0 || self.json {
            return;
        }
        let all = count(mined.rules.len(), "rule");
        let support = Options::meaningful_support(mined.rows);
        screen::note(format_args!(
            "warning: {} of {all} rest on fewer than {} rows and may hold by chance\n  \
             --min-support {support:.4} leaves them out",
            thousands(few as u64),
            Options::FEW_ROWS,
        ));
    }

    fn print_summary(&self, mined: &Mined, required: usize) -> Result<(), Failure> {
        if is_standard(&self.out) {
            return Ok(());
        }
        if self.json {
            screen::json(&json!({
                "rules": mined.rules.len(),
                "requirements": required,
                "unstratified": mined.unstratified,
                "stratified": mined.is_stratified(),
                "rows": mined.rows,
                "min_support": mined.options.min_support,
                "resting_on_few_rows": mined.resting_on_few_rows(),
                "out": self.out.display().to_string(),
            }))?;
            return Ok(());
        }
        let mut rules = count(mined.rules.len(), "rule");
        if self.requirements {
            rules = format!("{rules} and {}", count(required, "requirement"));
        }
        let rows = count(mined.rows, "row");
        let closing = count(mined.unstratified, "rule");
        let left = match (mined.unstratified, self.keep_unstratified) {
            (0, _) => String::new(),
            (_, false) => {
                format!("; {closing} dropped that would close a cycle through a negation")
            }
            (_, true) => format!("; {closing} of them close a cycle through a negation"),
        };
        let out = self.out.display();
        screen::summary(&format!("{rules} from {rows} written to {out}{left}\n"))?;
        Ok(())
    }
}
