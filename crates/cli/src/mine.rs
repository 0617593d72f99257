//! `rulebound mine`: rules that hold among the labels of a data set.

use crate::choice;
use crate::data::{SourceArguments, rows_of, write_text};
use crate::failure::Failure;
use crate::screen;
use crate::text::count;
use clap::Args;
use rulebound::input::is_standard;
use rulebound::mine::{Mined, Options, mine};
use serde_json::json;
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
    #[arg(long, value_name = "S", default_value = "0")]
    min_support: f64,
    /// Minimum confidence: fraction of those rows in which the head must hold too
    #[arg(long, value_name = "C", default_value = "1")]
    min_confidence: f64,
    /// Maximum number of literals in a body
    #[arg(long, value_name = "N", default_value = "3")]
    max_body: usize,
    /// Allow negated literals in bodies
    #[arg(long)]
    negation: bool,
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
        let options = Options {
            min_support: self.min_support,
            min_confidence: self.min_confidence,
            max_body: self.max_body,
            negation: self.negation,
            keep_unstratified: self.keep_unstratified,
            max_rules: self.max_rules,
            ..Options::default()
        };
        let data = self.source.read()?;
        let mined = mine(data.labels(), rows_of(&data, &self.split)?, &options)?;
        let text = mined.display(data.classes(), data.name(), &self.split).to_string();
        write_text(&self.out, &text)?;
        self.print_summary(&mined)
    }

    fn print_summary(&self, mined: &Mined) -> Result<(), Failure> {
        if is_standard(&self.out) {
            return Ok(());
        }
        if self.json {
            screen::json(&json!({
                "rules": mined.rules.len(),
                "unstratified": mined.unstratified,
                "stratified": mined.is_stratified(),
                "rows": mined.rows,
                "out": self.out.display().to_string(),
            }))?;
            return Ok(());
        }
        let rules = count(mined.rules.len(), "rule");
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
        screen::print(&format!("{rules} from {rows} written to {out}{left}\n"))?;
        Ok(())
    }
}
