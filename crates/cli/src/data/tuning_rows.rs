//! The rows that thresholds and calibrations are fitted on.

use super::for_model::ForModel;
use super::source::SourceDetails;
use crate::choice;
use crate::failure::Failure;
use crate::text::visible;
use clap::Args;
use rulebound::dataset::Split;
use rulebound::model::Model;

/// Which rows of a source.
#[derive(Args)]
pub struct TuningRowArguments {
    /// Split of the source to fit on [default: valid]; not the rows it was trained on, nor those it
    /// is tested on
    #[arg(long, value_name = "SPLIT", value_parser = choice::split())]
    split: Option<String>,
    /// Column that identifies rows and is not a feature (repeatable)
    #[arg(long = "id-column", value_name = "NAME")]
    pub id_columns: Vec<String>,
    #[command(flatten)]
    details: SourceDetails,
}

impl TuningRowArguments {
    /// The data, and which of its rows; says on standard error what must be known about them.
    pub fn read(&self, text: &str, model: &Model) -> Result<ForModel, Failure> {
        let split = Some(self.split());
        let mut read = self.details.read_for_model(text, &self.id_columns, split, model)?;
        // Validation rows are for this, unless the final weights were trained on them too.
        if self.split() == Split::Valid.name() && !model.is_fitted_on_validation_rows() {
            read.used.rows_seen_in_training = Some(0);
        }
        for line in read.used.lines() {
            anstream::eprintln!("{}", visible(&line));
        }
        Ok(read)
    }

    /// The name of the split.
    pub fn split(&self) -> &str {
        self.split.as_deref().unwrap_or(Split::Valid.name())
    }
}
