//! Fitting learners that are not networks: once, on all rows but test rows.

use std::sync::atomic::AtomicBool;

use super::by_epochs::fit_by_epochs;
use super::error::TrainError;
use super::labels::PreparedLabels;
use super::observer::Observer;
use super::state::record::Phase;
use crate::configuration::Configuration;
use crate::dataset::{Dataset, Pipeline, Scaling, Split};
use crate::device::Device;
use crate::learner::{FitRows, Learner, LearnerSettings, Watch};
use crate::model::{MemberTraining, Model, Part, Training};

/// Fits a learner; everything that all methods check has been checked.
pub(super) fn fit_learner(
    device: &Device,
    data: &Dataset,
    configuration: &Configuration,
    settings: &LearnerSettings,
    labels: &PreparedLabels<'_>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Model, TrainError> {
    let method = configuration.method.name();
    if data.row_weights().is_some() {
        return Err(TrainError::Unsupported { method, what: "weights of rows" });
    }
    if settings.has_epochs() {
        return fit_by_epochs(device, data, configuration, settings, labels, observer, stop);
    }
    let train = data
        .split(Split::Train)
        .filter(|rows| !rows.is_empty())
        .ok_or_else(|| TrainError::NoRows { name: data.name().to_owned(), split: Split::Train })?;
    let rows: Vec<usize> = train.chain(data.split(Split::Valid).unwrap_or_default()).collect();
    let scaling = configuration.scaling.or(settings.scaling());
    let scaling = scaling.unwrap_or(Scaling::default_for(data.feature_matrix()));
    let pipeline = Pipeline::fit_scaled(data, rows.iter().copied(), scaling)?;
    let learned = labels.learned().selected(&rows);
    if learned.unknown_cells() > 0 {
        return Err(TrainError::Unsupported { method, what: "labels that are not known" });
    }
    let inputs = pipeline.transform(data, rows.iter().copied())?;
    let nominal = pipeline.value_counts();
    let fit_rows = FitRows::new(&inputs, pipeline.width(), &learned, data.program())
        .with_nominal(&nominal)
        .with_evaluated(data.evaluated());
    observer.phase(Phase::Final, 1, rows.len(), Some(1));
    let progress = |pieces: usize, all: usize| observer.pieces(pieces, all);
    let watch = Watch::new(stop, &progress);
    let learner = Learner::fit(settings, &fit_rows, configuration.seed, &watch)?;
    let members = (0..configuration.members).map(|member| MemberTraining {
        seed: configuration.member_seed(member),
        epochs: 0,
        loss: f64::NAN,
        best: None,
    });
    let part = Part {
        configuration: configuration.clone(),
        training: Training::new(data, rows.len(), members.collect()),
        pipeline,
        learner,
        weight: 1.0,
    };
    Ok(Model::new(data, part))
}
