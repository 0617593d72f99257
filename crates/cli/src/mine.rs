//! `rulebound mine`: rules that hold among the labels of a data set.

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
/// Every rule that holds often enough and surely enough, and that no rule with a
/// smaller body makes superfluous; stratified, so that it can be used as it is.
/// Mined on the training rows unless told otherwise: rules that were mined on
/// test rows know the answers.
#[derive(Args)]
#[command(after_help = "Example:
  rulebound mine three-classes --negation --out mined.rules
  rulebound check mined.rules

Support is the share of rows in which the body holds; confidence, the share of those in which
the head holds too.")]
pub struct Mine {
    #[command(flatten)]
    source: SourceArguments,
    /// Where the rules go; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Least share of rows in which a body must hold; 0 means at least one row
    #[arg(long, value_name = "S", default_value = "0")]
    min_support: f64,
    /// Least share of a body's rows in which the head must hold
    #[arg(long, value_name = "C", default_value = "1")]
    min_confidence: f64,
    /// Most literals in a body
    #[arg(long, value_name = "N", default_value = "3")]
    max_body: usize,
    /// Also negated literals in bodies
    #[arg(long)]
    negation: bool,
    /// The rows to mine
    #[arg(long, value_name = "SPLIT", default_value = "train", value_parser = ["train", "valid", "test", "all"])]
    split: String,
    /// Keep rules that close a cycle through a negation; the result may then not be usable as it is
    #[arg(long)]
    keep_unstratified: bool,
    /// Most rules to find before giving up
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
        self.tell(&mined)
    }

    fn tell(&self, mined: &Mined) -> Result<(), Failure> {
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
                format!("; {closing} left out that would close a cycle through a negation")
            }
            (_, true) => format!("; {closing} of them close a cycle through a negation"),
        };
        let out = self.out.display();
        screen::print(&format!("{rules} from {rows} written to {out}{left}\n"))?;
        Ok(())
    }
}
