//! `rulebound model set-thresholds`: the same model with other thresholds.

use crate::arguments::{Overwriting, ThresholdArguments};
use crate::failure::Failure;
use crate::screen;
use clap::Args;
use rulebound::model::Model;
use std::path::PathBuf;

/// Write a model with other thresholds
#[derive(Args)]
#[command(after_help = "Example:
  rulebound train rectangles --hidden 16 --epochs 50 --out boxes.rulebound
  rulebound model set-thresholds boxes.rulebound --threshold 0.4 --out low.rulebound")]
pub struct SetThresholds {
    /// Model file
    #[arg(value_name = "FILE")]
    model: PathBuf,
    #[command(flatten)]
    thresholds: ThresholdArguments,
    /// Model file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwriting: Overwriting,
}

impl SetThresholds {
    pub fn run(&self) -> Result<(), Failure> {
        self.overwriting.permits(&self.out)?;
        let model = Model::load(&self.model)?;
        let Some(thresholds) = self.thresholds.given(model.labels())? else {
            return Err(Failure::Usage("give --thresholds or --threshold".to_owned()));
        };
        let existing = self.overwriting.existing();
        model.with_thresholds(thresholds).save_as(&self.out, existing)?;
        Ok(screen::print(&format!("{}\n", self.out.display()))?)
    }
}
