//! `rulebound data split`: a source as training, validation and test files.

use super::SourceArguments;
use crate::failure::Failure;
use crate::screen;
use crate::text::thousands;
use clap::Args;
use rulebound::dataset::Split as Part;
use serde_json::json;
use std::path::PathBuf;

/// Split a data set into files: training, validation and test rows
///
/// Writes train, valid and test files in the format of the source (CSV stays CSV, with all its
/// columns) to a new folder, which is itself a source. Classes are spread evenly (iterative
/// stratification) unless --stratify off.
#[derive(Args)]
#[command(after_help = "Example:
  rulebound data split customers.csv --label-columns 'label_*' --test-share 0.2 --out customers
  rulebound data split visits.csv --label-columns 3 --test-share 0.2 --valid-share 0.1 --group-column patient --out visits")]
pub struct Split {
    #[command(flatten)]
    source: SourceArguments,
    /// Output folder; it must be new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl Split {
    pub fn run(&self) -> Result<(), Failure> {
        let data = self.source.split_files(&self.out)?;
        let out = self.out.display().to_string();
        let rows = |part: Part| data.split(part).map_or(0, |rows| rows.len());
        if self.json {
            let rows: serde_json::Map<_, _> =
                Part::ALL.into_iter().map(|part| (part.to_string(), json!(rows(part)))).collect();
            screen::json(&json!({ "out": out, "rows": data.rows(), "split_rows": rows }))?;
        } else {
            let parts = Part::ALL.into_iter().filter(|&part| rows(part) > 0);
            let parts = parts.map(|part| format!("{} {part}", thousands(rows(part) as u64)));
            let parts = parts.collect::<Vec<_>>().join(", ");
            screen::print(&format!("{}: {parts} rows written to {out}\n", data.name()))?;
        }
        Ok(())
    }
}
