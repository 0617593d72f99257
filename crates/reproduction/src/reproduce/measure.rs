//! From a trained batch to the rows of its networks and of their ensemble.

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;
use rulebound_core::metrics::LabelsInMetrics;
use serde_json::Value;

use super::error::ReproduceError;
use super::plan::Batch;
use super::row::{ENSEMBLE, Row, Seeds};
use super::subject::Subject;
use rulebound::dataset::{Builtin, Dataset, Split};
use rulebound::evaluate::{EvaluateError, Scored};
use rulebound::model::Model;
use rulebound::train::Method;

/// The rows of a batch: one per network, then one for the ensemble if there are several.
pub(super) fn measure(
    batch: &Batch,
    model: &Model,
    data: &Dataset,
    device: &str,
    seconds: &HashMap<u64, f64>,
) -> Result<Vec<Row>, ReproduceError> {
    let rows = data.split(Split::Test).unwrap_or_default();
    let scored = Scored::new(model, data, rows)?;
    let method = batch.method().name();
    let row = |method: String, seeds, logits: &[f32], epochs, seconds| {
        let delegated = delegated(batch, data, &scored, logits);
        let present = scored.evaluate(logits, LabelsInMetrics::Present)?;
        let all = scored.evaluate(logits, LabelsInMetrics::All)?;
        Ok::<_, EvaluateError>(Row {
            set: batch.subject.to_string(),
            method,
            seeds,
            present: present.metrics,
            all: all.metrics,
            broken_rows: present.violations.map_or(0, |broken| broken.rows),
            delegated,
            epochs,
            seconds,
            device: device.to_owned(),
            configuration: batch.digest(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    };
    let members = &model.training().members;
    let seconds_of = |seed: u64| seconds.get(&seed).copied().unwrap_or(0.0);
    let each = members.par_iter().zip(&scored.members).map(|(member, logits)| {
        let seeds = Seeds::One(member.seed);
        row(method.to_owned(), seeds, logits, member.epochs as f64, seconds_of(member.seed))
    });
    let mut rows = each.collect::<Result<Vec<Row>, _>>()?;
    if let [first, .., last] = &members[..] {
        let count = members.len() as f64;
        let epochs = members.iter().map(|member| member.epochs as f64).sum::<f64>() / count;
        let longest = members.iter().map(|member| seconds_of(member.seed)).fold(0.0, f64::max);
        let seeds = Seeds::Ensemble(first.seed, last.seed);
        let method = format!("{method}{ENSEMBLE}");
        rows.push(row(method, seeds, &scored.ensemble_logits(), epochs, longest)?);
    }
    Ok(rows)
}

/// The fraction of the points in A1 where h scores A1 higher than A: there the prediction on A is
/// delegated to A1.
fn delegated(batch: &Batch, data: &Dataset, scored: &Scored<'_>, logits: &[f32]) -> Option<f64> {
    let Subject::Synthetic(Builtin::Rectangles, _) = batch.subject else { return None };
    if batch.method() != Method::Ccn {
        return None;
    }
    let [part, whole] = ["A1", "A"].map(|name| data.classes().find(name));
    let (part, whole) = (part?.index(), whole?.index());
    let classes = data.classes().len();
    let rows = logits.chunks_exact(classes).zip(scored.truth.chunks_exact(classes));
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
