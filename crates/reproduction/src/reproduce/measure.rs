//! From a trained batch to the rows of its members and of their ensemble.

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;
use rulebound_core::metrics::LabelsInMetrics;
use serde_json::Value;

use super::error::ReproduceError;
use super::facts::SystemFacts;
use super::plan::Batch;
use super::row::{ENSEMBLE, Row, Seeds};
use super::subject::Subject;
use rulebound::dataset::{Builtin, Dataset, Split};
use rulebound::evaluate::EvaluateError;
use rulebound::labelled_scores::{LabelledScores, ScoresOf};
use rulebound::model::Model;
use rulebound::train::Method;

/// The predictions of a batch on the test rows.
pub(super) struct Measurement<'a> {
    batch: &'a Batch,
    model: &'a Model,
    data: &'a Dataset,
    device: &'a str,
    scored: LabelledScores<'a, f32>,
    weights: Vec<f64>,
}

impl<'a> Measurement<'a> {
    /// Predicts the test rows.
    pub fn new(
        batch: &'a Batch,
        model: &'a Model,
        data: &'a Dataset,
        device: &'a str,
    ) -> Result<Self, ReproduceError> {
        let rows = data.split(Split::Test).unwrap_or_default();
        let scored = model.score(data, rows)?;
        Ok(Self { batch, model, data, device, scored, weights: Vec::new() })
    }

    /// The same with the weights of a blend.
    pub fn weighted(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// The logits of all members together.
    pub fn together(&self) -> &[f32] {
        self.scored.scores()
    }

    /// The row of some logits.
    pub fn row(
        &self,
        method: String,
        seeds: Seeds,
        logits: &[f32],
        epochs: f64,
        seconds: f64,
    ) -> Result<Row, EvaluateError> {
        let batch = self.batch;
        let scored = self.scored.with_scores(logits, ScoresOf::Model);
        let evaluate = |labels| self.model.predictions_of(&scored, labels)?.evaluate();
        let (present, all) = (evaluate(LabelsInMetrics::Present)?, evaluate(LabelsInMetrics::All)?);
        let facts = match batch.system.is_network() {
            true => None,
            false => Some(SystemFacts {
                seen: evaluate(LabelsInMetrics::Seen)?.metrics,
                weights: self.weights.clone(),
                chosen_on: batch.chosen_on(),
            }),
        };
        Ok(Row {
            set: batch.subject.to_string(),
            method,
            seeds,
            present: present.metrics,
            all: all.metrics,
            broken_rows: present.violations.map_or(0, |broken| broken.rows),
            delegated: delegated(batch, self.data, &scored),
            epochs,
            seconds,
            device: self.device.to_owned(),
            configuration: batch.digest(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            facts,
        })
    }

    /// The rows of the batch: one per member, then one for the ensemble if there are several.
    pub fn members(
        &self,
        seconds_of: &(dyn Fn(u64) -> f64 + Sync),
    ) -> Result<Vec<Row>, ReproduceError> {
        let name = self.batch.system.to_string();
        let members = &self.model.training().members;
        let each = members.par_iter().zip(self.scored.members()).map(|(member, logits)| {
            let (seeds, epochs) = (Seeds::One(member.seed), member.epochs as f64);
            self.row(name.clone(), seeds, logits, epochs, seconds_of(member.seed))
        });
        let mut rows = each.collect::<Result<Vec<Row>, _>>()?;
        if let [first, .., last] = &members[..] {
            let count = members.len() as f64;
            let epochs = members.iter().map(|member| member.epochs as f64).sum::<f64>() / count;
            let longest = members.iter().map(|member| seconds_of(member.seed)).fold(0.0, f64::max);
            let seeds = Seeds::Ensemble(first.seed, last.seed);
            let name = format!("{name}{ENSEMBLE}");
            rows.push(self.row(name, seeds, self.together(), epochs, longest)?);
        }
        Ok(rows)
    }
}

/// The fraction of the points in A1 where h scores A1 higher than A: there the prediction on A is
/// delegated to A1.
fn delegated(batch: &Batch, data: &Dataset, scored: &LabelledScores<'_, f32>) -> Option<f64> {
    let Subject::Synthetic(Builtin::Rectangles, _) = batch.subject else { return None };
    if batch.method() != Method::Ccn {
        return None;
    }
    let [part, whole] = ["A1", "A"].map(|name| data.classes().find(name));
    let (part, whole) = (part?.index(), whole?.index());
    let classes = data.classes().len();
    let logits = scored.scores().chunks_exact(classes);
    let rows = logits.zip(scored.truth().chunks_exact(classes));
    let inside: Vec<&[f32]> =
        rows.filter(|(_, truth)| truth[part]).map(|(logits, _)| logits).collect();
    let delegated = inside.iter().filter(|logits| logits[part] > logits[whole]).count();
    (!inside.is_empty()).then(|| delegated as f64 / inside.len() as f64)
}

/// How long the epochs of each seed took, from the log, which includes those before an
/// interruption.
pub(super) fn logged_seconds(log: &Path) -> HashMap<u64, f64> {
    let mut seconds = HashMap::new();
    for line in std::fs::read_to_string(log).unwrap_or_default().lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        if value["event"] == "epoch"
            && let (Some(seed), Some(took)) = (value["seed"].as_u64(), value["seconds"].as_f64())
        {
            *seconds.entry(seed).or_insert(0.0) += took;
        }
    }
    seconds
}
