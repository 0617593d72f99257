//! The rows that thresholds and calibrations are fitted on.

use super::for_model::{ForModel, ModelRequest};
use super::source::SourceDetails;
use crate::choice;
use crate::failure::Failure;
use crate::text::visible;
use clap::Args;
use rulebound::configuration::LabelPolicy;
use rulebound::dataset::Split;
use rulebound::model::Model;
use std::path::Path;

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
    /// The data, and which of its rows; says on standard error what must be known about them. Labels that are written
    /// by their names take what `rules` say.
    pub fn read(
        &self,
        text: &str,
        rules: Option<&Path>,
        label_policy: Option<LabelPolicy>,
        model: &Model,
    ) -> Result<ForModel, Failure> {
        let (identifiers, split) = (&self.id_columns[..], Some(self.split()));
        let request =
            ModelRequest { identifiers, split, rules, label_policy, ..ModelRequest::default() };
        let mut read = self.details.read_for_models(text, &request, &[model])?;
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
