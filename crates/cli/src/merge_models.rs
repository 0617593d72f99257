//! `rulebound model merge`: members that were trained elsewhere become one ensemble.

use crate::arguments::Overwriting;
use crate::failure::Failure;
use crate::note_arguments::NoteArguments;
use crate::screen;
use crate::text::count;
use clap::Args;
use rulebound::model::{MergedModel, Model};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Merge models that differ only in their seeds into one ensemble
///
/// Classes, rules, thresholds, calibration, preprocessing and settings must be the same; everything that is not is
/// reported. Members are sorted by their seeds. Where the seeds follow each other, the result is what
/// `train --members` with the lowest seed writes, bit for bit.
#[derive(Args)]
#[command(after_help = "Example:
  rulebound train rectangles --hidden 16 --epochs 50 --seed 0 --out seed0.rulebound
  rulebound train rectangles --hidden 16 --epochs 50 --seed 1 --out seed1.rulebound
  rulebound model merge seed0.rulebound seed1.rulebound --out all.rulebound")]
pub struct MergeModels {
    /// Model files
    #[arg(value_name = "MODELS", num_args = 2.., required = true)]
    models: Vec<PathBuf>,
    /// Model file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print what was merged as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    overwriting: Overwriting,
    #[command(flatten)]
    notes: NoteArguments,
}

impl MergeModels {
    pub fn run(&self) -> Result<(), Failure> {
        self.overwriting.permits(&self.out)?;
        let load = |path: &PathBuf| -> Result<(String, Model), Failure> {
            Ok((path.display().to_string(), Model::load(path)?))
        };
        let models = self.models.iter().map(load).collect::<Result<Vec<_>, _>>()?;
        let MergedModel { model, notes } = Model::merge(models)?;
        let model = self.notes.add_to(model)?;
        model.save_as(&self.out, self.overwriting.existing())?;
        let seeds: Vec<u64> = model.training().members.iter().map(|member| member.seed).collect();
        if self.json {
            let out = self.out.display().to_string();
            let members = seeds.len();
            return Ok(screen::json(
                &json!({ "out": out, "members": members, "seeds": seeds, "notes": notes }),
            )?);
        }
        let mut text = String::new();
        for note in notes {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "note: {note}");
        }
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        let _ = writeln!(
            text,
            "{} of {}, seeds {}\nwritten to {}",
            count(seeds.len(), "member"),
            count(self.models.len(), "model"),
            seeds.join(", "),
            self.out.display()
        );
        Ok(screen::print(&text)?)
    }
}
