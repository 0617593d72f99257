//! `rulebound data rules`: the rules of a source as a rule file.

use super::SourceArguments;
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::screen;
use crate::text::count;
use clap::Args;
use rulebound::dataset::{Ontology, Source};
use rulebound_core::Program;
use rulebound_io::input::is_standard;
use rulebound_io::output::{OutputError, OutputFile};
use rulebound_reproduction::DataSource;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write the rules of a data set or an ontology (OBO) to a rule file
#[derive(Args)]
#[command(after_help = "Example:
  rulebound data rules go.obo --out go.rules --labels-out go.labels
  rulebound check go.rules --labels go.labels")]
pub struct Rules {
    #[command(flatten)]
    source: SourceArguments,
    /// Output file for the rules; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Also write the class names to this file, one per line
    #[arg(long, value_name = "FILE")]
    labels_out: Option<PathBuf>,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl Rules {
    pub fn run(&self) -> Result<(), Failure> {
        let program = self.program()?;
        write_text(&self.out, &program.to_text())?;
        if let Some(labels) = &self.labels_out {
            write_text(labels, &program.labels().to_text())?;
        }
        if self.json && !is_standard(&self.out) {
            screen::json(&json!({
                "out": self.out.display().to_string(),
                "labels_out": self.labels_out.as_ref().map(|path| path.display().to_string()),
                "rules": program.rules().len(),
                "classes": program.labels().len(),
            }))?;
        } else if !is_standard(&self.out) {
            let (rules, out) = (count(program.rules().len(), "rule"), self.out.display());
            let classes = count(program.labels().len(), "class");
            screen::summary(&format!("{rules} over {classes} written to {out}\n"))?;
        }
        Ok(())
    }

    fn program(&self) -> Result<Program, Failure> {
        if let DataSource::Other(Source::Path(path)) = self.source.source() {
            let name = path.to_string_lossy();
            if name.strip_suffix(".gz").unwrap_or(&name).ends_with(".obo") {
                return Ok(Ontology::read(&path)?.program()?);
            }
        }
        Ok(self.source.read()?.program().clone())
    }
}

/// Writes a text to a file that appears only when it is complete.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    let written = |path: &Path| -> Result<(), OutputError> {
        let mut file = OutputFile::create(path)?;
        file.write_all(text.as_bytes())
            .map_err(|source| OutputError::Write { path: path.to_path_buf(), source })?;
        file.commit()
    };
    written(path).map_err(|error| match Failure::if_broken_pipe(&error) {
        Some(failure) => failure,
        None => Diagnostic::from_error("output", &error).into(),
    })
}
