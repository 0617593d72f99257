//! `rulebound data convert`: the same data in a common format.

use super::SourceArguments;
use crate::arguments::Overwriting;
use crate::choice::one_of;
use crate::failure::Failure;
use crate::files::expect_not_read;
use crate::screen;
use crate::text::count;
use clap::Args;
use rulebound::dataset::{ConvertFormat, convert_as};
use serde_json::json;
use std::path::PathBuf;

/// Convert a data set to a common format: one file per split, the rules and the labels
///
/// The output folder is itself a source: reading it gives the same data set.
#[derive(Args)]
#[command(after_help = "Example:
  rulebound data convert three-classes --to csv --out three
  rulebound data info three")]
pub struct Convert {
    #[command(flatten)]
    source: SourceArguments,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<ConvertFormat>(ConvertFormat::NAMES))]
    to: ConvertFormat,
    /// Output folder, created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    overwriting: Overwriting,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl Convert {
    pub fn run(&self) -> Result<(), Failure> {
        let format = self.to;
        let written = format.file_names().into_iter().map(|name| self.out.join(name));
        let written: Vec<PathBuf> = written.collect();
        expect_not_read(&self.source.files(), &written)?;
        written.iter().try_for_each(|path| self.overwriting.permits(path))?;
        let data = self.source.read()?;
        convert_as(&data, format, &self.out, self.overwriting.existing())?;
        let out = self.out.display().to_string();
        if self.json {
            screen::json(&json!({ "out": out, "format": format.name(), "rows": data.rows() }))?;
        } else {
            let rows = count(data.rows(), "row");
            screen::summary(&format!("{}: {rows} written to {out} as {format}\n", data.name()))?;
        }
        Ok(())
    }
}
