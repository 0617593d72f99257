//! `rulebound data convert`: the same data in neutral files.

use super::SourceArguments;
use crate::failure::Failure;
use crate::screen;
use crate::text::count;
use clap::Args;
use rulebound::dataset::{ConvertFormat, convert};
use serde_json::json;
use std::path::PathBuf;

/// Write a data set as neutral files: one a split, the rules and the labels
///
/// The folder is a source itself: reading it gives the same data set.
#[derive(Args)]
#[command(after_help = "Example:
  rulebound data convert three-classes --to csv --out three
  rulebound data info three")]
pub struct Convert {
    #[command(flatten)]
    source: SourceArguments,
    /// The format of the files
    #[arg(long, value_name = "FORMAT", value_parser = ["parquet", "csv", "mulan"])]
    to: String,
    /// The folder, made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print what was written as JSON
    #[arg(long)]
    pub json: bool,
}

impl Convert {
    pub fn run(&self) -> Result<(), Failure> {
        let format: ConvertFormat =
            self.to.parse().map_err(|error| Failure::Usage(format!("--to: {error}")))?;
        let data = self.source.read()?;
        convert(&data, format, &self.out)?;
        let out = self.out.display().to_string();
        if self.json {
            screen::json(&json!({ "out": out, "format": format.name(), "rows": data.rows() }))?;
        } else {
            let rows = count(data.rows(), "row");
            screen::print(&format!("{}: {rows} written to {out} as {format}\n", data.name()))?;
        }
        Ok(())
    }
}
