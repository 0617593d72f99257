//! A row through a network of others: what it said, and what the rules made of it.

use super::of_model::interesting;
use super::{Explain, to_json};
use crate::failure::Failure;
use crate::network::NetworkRows;
use crate::screen;
use crate::text::count;
use rulebound::class_names::ClassNames;
use rulebound::dataset::RowBatch;
use rulebound::predict::{FeatureRows, PredictError};
use serde_json::json;
use std::path::Path;

impl Explain {
    pub(super) fn explain_network(&self, rules: &Path, input: &str) -> Result<(), Failure> {
        let Some(network) = &self.network.network else {
            return Err(Failure::Usage("rows without scores need --model or --network".to_owned()));
        };
        let from = NetworkRows {
            network,
            rules,
            rule_arguments: &self.rule_arguments,
            input,
            id_column: self.id_column.as_deref(),
            split: self.split.as_deref(),
            details: &self.details,
        };
        let thresholds = |classes: &ClassNames<'_>| self.score_arguments.thresholds(classes);
        self.network.open(&from, thresholds, |predictor, mut rows, names| {
            let mut batch = RowBatch::new();
            let at = self.find(input, &mut rows, &mut batch)?;
            let features =
                FeatureRows::dense(batch.cells(), batch.width()).map_err(PredictError::from)?;
            let row = predictor.explain(features, at)?;
            let (labels, more) = match self.classes.is_empty() {
                true => interesting(&row),
                false => (self.chosen(names, Vec::new())?, 0),
            };
            let number = batch.first_row() + at as u64;
            if self.json {
                let mut value = to_json(&row, number, &labels);
                value["id"] = json!(batch.id(at));
                value["scores"] = json!("logits");
                return Ok(screen::json(&value)?);
            }
            let id = batch.id(at).map(|id| format!(" (id {id})")).unwrap_or_default();
            let mut text = format!("row {number}{id} of {input}; scores are logits\n\n");
            text += &match labels.is_empty() {
                true => "no class is predicted, and the rules change nothing\n".to_owned(),
                false => row.tree(&labels, self.depth as usize),
            };
            if more > 0 {
                text += &format!("\n… and {} more (--label CLASS)\n", count(more, "class"));
            }
            Ok(screen::print(&text)?)
        })
    }
}
