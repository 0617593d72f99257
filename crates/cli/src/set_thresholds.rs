//! `rulebound model set-thresholds`: the same model with other thresholds.

use crate::arguments::{Overwriting, ThresholdArguments};
use crate::failure::Failure;
use crate::note_arguments::NoteArguments;
use crate::screen;
use clap::Args;
use rulebound::model::Model;
use serde_json::json;
use std::path::PathBuf;

/// Write a model with other thresholds
#[derive(Args)]
#[command(after_help = "Example:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound model set-thresholds boxes.rulebound --threshold 0.4 --out low.rulebound")]
pub struct SetThresholds {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    thresholds: ThresholdArguments,
    /// Model file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print where it was written as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    overwriting: Overwriting,
    #[command(flatten)]
    notes: NoteArguments,
}

impl SetThresholds {
    pub fn run(&self) -> Result<(), Failure> {
        self.overwriting.permits(&self.out)?;
        let model = Model::load(&self.model)?;
        let Some(thresholds) = self.thresholds.given(&model.class_names())? else {
            return Err(Failure::Usage("give --thresholds or --threshold".to_owned()));
        };
        let model = self.notes.add_to(model.with_thresholds(thresholds))?;
        model.save_as(&self.out, self.overwriting.existing())?;
        let out = self.out.display();
        match self.json {
            true => screen::json(&json!({ "out": out.to_string() }))?,
            false => screen::summary(&format!("written to {out}\n"))?,
        }
        Ok(())
    }
}
