//! A row through a trained model: what the network said, what the rules made of it, and which columns
//! moved the deciding classes.

use super::features::{Deciding, describe};
use super::{Explain, to_json};
use crate::data::RowSource;
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;
use crate::screen;
use crate::text::count;
use crate::unusual;
use rulebound::dataset::{RowBatch, RowReader};
use rulebound::explain::Explanation;
use rulebound::model::Model;
use rulebound::predict::{FeatureRows, PredictError};
use rulebound_core::{LabelId, Program};
use serde_json::json;
use std::path::Path;

/// The most classes that are explained without being named.
const CLASSES: usize = 5;

impl Explain {
    pub(super) fn explain_model(&self, model: &Path, input: &str) -> Result<(), Failure> {
        let model = Model::load(model)?.with_settle_limit(self.rule_arguments.settle_limit());
        let given = self.score_arguments.thresholds.given(&model.class_names())?;
        let model = match given {
            Some(thresholds) => model.with_thresholds(thresholds),
            None => model,
        };
        let source = RowSource {
            input,
            id_column: self.id_column.as_deref(),
            in_format: None,
            split: self.split.as_deref(),
            details: &self.details,
        };
        source.open(&model, |rows| self.explain_row(&model, input, rows))
    }

    fn explain_row(
        &self,
        model: &Model,
        input: &str,
        mut rows: RowReader<'_>,
    ) -> Result<(), Failure> {
        let mut batch = RowBatch::new();
        let at = self.find(input, &mut rows, &mut batch)?;
        let features =
            FeatureRows::dense(batch.cells(), batch.width()).map_err(PredictError::from)?;
        // A plain network has no rules, and every class decides for itself.
        let empty = Program::new(model.labels().clone(), Vec::new());
        let empty = empty.map_err(|error| Diagnostic::from_error("model", &error))?;
        let program = model.rules().unwrap_or(&empty);
        let mut predictor = model.predictor_with(Some(program), rows.columns())?;
        let row = predictor.explain(features, at)?;
        let (labels, more) = match self.classes.is_empty() {
            true => interesting(&row),
            false => (self.chosen(&model.class_names(), Vec::new())?, 0),
        };
        let method = model.attribution_method(self.attribution);
        let mut deciding: Vec<Deciding> = Vec::new();
        for &label in &labels {
            let Some(literal) = row.decider(label) else { continue };
            match deciding.iter_mut().find(|known| known.class == literal.label()) {
                Some(known) => known.decided.push(label),
                None => {
                    let class = literal.label();
                    let found =
                        model.attribution(rows.columns(), features.row(at), class, method)?;
                    deciding.push(Deciding { class, decided: vec![label], found });
                }
            }
        }
        let number = batch.first_row() + at as u64;
        let unusual = rows.unusual_row(&batch, at);
        unusual::note(&unusual);
        if self.json {
            let mut value = to_json(&row, number, &labels);
            value["id"] = json!(batch.id(at));
            value["scores"] = json!("logits");
            value["attribution"] = json!(method.name());
            value["attributions"] = deciding
                .iter()
                .map(|deciding| deciding.to_json(model.labels(), self.top_features))
                .collect();
            if let Some(object) = value.as_object_mut() {
                object.extend(unusual::to_json(&unusual));
            }
            return Ok(screen::json(&value)?);
        }
        let id = batch.id(at).map(|id| format!(" (id {id})")).unwrap_or_default();
        let kind = match model.calibration() {
            Some(_) => "calibrated logits; what moved them is shown before calibration",
            None => "logits",
        };
        let mut text = format!("row {number}{id} of {input}; scores are {kind}\n\n");
        if labels.is_empty() {
            text += "no class is predicted, and the rules change nothing\n";
        } else {
            text += &row.tree(&labels, self.depth as usize);
        }
        if more > 0 {
            text += &format!("\n… and {} more (--label CLASS)\n", count(more, "class"));
        }
        for deciding in &deciding {
            text += &describe(deciding, &row, method, self.top_features);
        }
        Ok(screen::print(&text)?)
    }
}

impl Explain {
    /// Reads up to the row to explain; its place in the batch.
    pub(super) fn find(
        &self,
        input: &str,
        rows: &mut RowReader<'_>,
        batch: &mut RowBatch,
    ) -> Result<usize, Failure> {
        let key = self.key();
        if let Some(at) = rows.find(&key, batch)? {
            return Ok(at);
        }
        let hint = match (&self.id, rows.id_name()) {
            (Some(_), None) => "no column identifies rows; name it with --id-column".to_owned(),
            (Some(_), Some(name)) => format!("ids are in the column `{name}`"),
            (None, _) => "rows are counted from 1, without the header".to_owned(),
        };
        let message = format!("{input}: no {key}");
        Err(Diagnostic::plain("no-row", message).with_hint(hint).into())
    }
}

/// The classes that are predicted or changed, the highest first, and how many more there are.
pub(super) fn interesting(row: &Explanation<'_>) -> (Vec<LabelId>, usize) {
    let labels = row.program().labels().ids();
    let mut labels: Vec<LabelId> =
        labels.filter(|&label| row.is_predicted(label) || row.is_changed(label)).collect();
    labels.sort_by(|&a, &b| row.score(b).total_cmp(&row.score(a)));
    let more = labels.len().saturating_sub(CLASSES);
    labels.truncate(CLASSES);
    (labels, more)
}
