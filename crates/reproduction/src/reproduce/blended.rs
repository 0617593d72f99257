//! The rows of a blend: with all its networks, and without each of them in turn.
//!
//! The spread of a blend is found by leaving one out: for every seed, the networks of each kind
//! without the one with that seed, a forest grown with that seed, and the same weights. Networks
//! are not trained again for that; only their logits are combined anew.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use rulebound_core::metrics::Metric;

use super::batch_run::BatchRun;
use super::error::ReproduceError;
use super::measure::Measurement;
use super::plan::Batch;
use super::row::{ENSEMBLE, Row, Seeds};
use super::subject::Subject;
use crate::catalogue::Collection;
use rulebound::blend::{Blend, BlendError, BlendWeights, discard_learners};
use rulebound::dataset::{Dataset, Split, SplitRecipe};
use rulebound::evaluate::PartLogits;
use rulebound::model::{Model, Part};
use rulebound::train::{Configuration, EarlyStopping, TrainError};

/// Trains the blend of a batch and measures it. A trained blend is kept until it is measured.
pub(super) fn rows(run: &BatchRun<'_>, data: &Dataset) -> Result<Vec<Row>, ReproduceError> {
    let (batch, start) = (run.batch, Instant::now());
    let kept = run.folder.unmeasured(batch);
    let model = match Model::load(&kept) {
        Ok(model) => model,
        Err(_) => {
            let model = train(run, data)?;
            model.save(&kept)?;
            let (learners, folds) = (batch.learners().count(), batch.folds);
            run.paths().checkpoint.iter().for_each(|path| discard_learners(path, learners, folds));
            model
        }
    };
    let test = data.split(Split::Test).unwrap_or_default();
    let weights = weights(batch, &model);
    let measurement = Measurement::new(batch, &model, data, run.device_kind())?.weighted(weights);
    let networks = &model.training().members;
    let epochs = networks.iter().map(|network| network.epochs as f64).sum::<f64>();
    let epochs = epochs / networks.len().max(1) as f64;
    let (name, seconds) = (batch.system.to_string(), start.elapsed().as_secs_f64());
    let whole = measurement.together();
    let mut rows = Vec::new();
    if let seeds @ Seeds::One(_) = batch.ensemble_seeds() {
        rows.push(measurement.row(name, seeds, whole, epochs, seconds)?);
    } else {
        let parts = model.part_logits(data, test.clone())?;
        for seed in batch.seeds() {
            let logits = without(run, data, test.clone(), &model, &parts, seed)?;
            let seeds = Seeds::One(seed);
            rows.push(measurement.row(name.clone(), seeds, &logits, epochs, seconds)?);
        }
        let name = format!("{name}{ENSEMBLE}");
        rows.push(measurement.row(name, batch.ensemble_seeds(), whole, epochs, seconds)?);
    }
    std::fs::remove_file(kept).ok();
    Ok(rows)
}

fn train(run: &BatchRun<'_>, data: &Dataset) -> Result<Model, ReproduceError> {
    let configurations: Vec<Configuration> = run.batch.learners().cloned().collect();
    let (paths, learners) = (run.paths(), configurations.len());
    let folds = run.batch.folds;
    let blend = Blend {
        trainer: run.trainer(),
        configurations,
        weights: BlendWeights::Chosen(metric(run.batch.subject)),
        paths: paths.clone(),
        folds,
        recipe: SplitRecipe::default(),
        holdout: EarlyStopping::default().holdout,
    };
    let trained = match blend.run(data) {
        // From another kind of device or other data, or damaged: useless.
        Err(BlendError::Train(TrainError::OtherRun { .. } | TrainError::Checkpoint(_))) => {
            paths.checkpoint.iter().for_each(|path| discard_learners(path, learners, folds));
            blend.run(data)
        }
        result => result,
    };
    Ok(trained?.0)
}

/// What the weights are chosen by: what the tables of the subject show first.
fn metric(subject: Subject) -> Metric {
    match subject {
        Subject::Catalogue(entry) if entry.collection == Collection::Lcmc => {
            Metric::AveragePrecision
        }
        Subject::Catalogue(_) | Subject::Synthetic(..) => Metric::Auprc,
    }
}

/// The weight of every learner of the batch; a learner that counts nothing is not in the model.
fn weights(batch: &Batch, model: &Model) -> Vec<f64> {
    let weight = |learner: &Configuration| {
        let parts = model.parts().iter();
        let of = |part: &&Part| part.configuration().method == learner.method;
        parts.filter(of).map(Part::weight).fold(0.0, |sum, weight| sum + weight)
    };
    batch.learners().map(weight).collect()
}

/// The logits of the blend without the networks of a seed, and with what has no networks but is
/// drawn fitted again with that seed.
fn without(
    run: &BatchRun<'_>,
    data: &Dataset,
    test: Range<usize>,
    model: &Model,
    parts: &[PartLogits],
    seed: u64,
) -> Result<Vec<f32>, ReproduceError> {
    let place = (seed - run.batch.seeds().start) as usize;
    let mut others: Vec<(f64, Vec<Cow<'_, [f32]>>)> = Vec::new();
    for (part, of) in model.parts().iter().zip(parts) {
        let known = of.members.iter().map(|logits| Cow::Borrowed(&logits[..]));
        let configuration = part.configuration();
        let settings = configuration.learner_settings();
        let is_drawn = settings.is_some_and(|settings| !settings.abilities().is_deterministic);
        let members = match of.members.len() {
            1 if is_drawn && !configuration.method.has_epochs() && seed != configuration.seed => {
                let again = Configuration { seed, ..configuration.clone() };
                let again = run.trainer().configuration(again).fit(data)?;
                let refitted = again.part_logits(data, test.clone())?.into_iter();
                refitted.flat_map(|part| part.members).map(Cow::Owned).collect()
            }
            0 | 1 => known.collect(),
            count => {
                let left_out = place % count;
                let kept = known.enumerate().filter(|(at, _)| *at != left_out);
                kept.map(|(_, logits)| logits).collect()
            }
        };
        others.push((of.weight, members));
    }
    Ok(model.blended(&others))
}
