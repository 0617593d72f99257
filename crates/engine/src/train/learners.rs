//! Training learners that are not networks. One that has epochs searches for their number on validation rows,
//! or is given one, and is then trained a second time if that is asked for; another is fitted once, on all rows
//! but test rows.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::error::TrainError;
use super::labels::PreparedLabels;
use super::observer::Observer;
use super::run::rows::Rows;
use super::state::record::Phase;
#[cfg(feature = "cuda")]
use super::{level_networks_on_gpu::fit_level_networks, two_way_on_gpu::fit_two_ways};
use crate::configuration::{Configuration, EarlyStopping, Monitor, Stopping};
use crate::dataset::{Dataset, LabelMatrix, Pipeline, Scaling};
use crate::device::Device;
use crate::learner::{
    EpochPlan, EpochsOfMember, FitRows, Learner, LearnerSettings, MemberPlan, Watch,
};
#[cfg(feature = "cuda")]
use crate::learner::{LevelNetworkSettings, Members, TwoWaySettings};
use crate::model::{MemberTraining, Model, Part, Training};

/// Epochs of a search that has no limit of its own.
const MOST_EPOCHS: usize = (1 << 20) - 1;

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
    if data.row_weights().is_some() {
        let method = configuration.method.name();
        return Err(TrainError::Unsupported { method, what: "weights of rows" });
    }
    let fitting = Fitting { device, data, configuration, settings, labels, observer, stop };
    let members = configuration.members;
    let (mut fitted, searched) = match &configuration.stopping {
        _ if !settings.abilities().has_epochs => {
            (fitting.phase(Phase::Final, &vec![EpochPlan::Exactly(1); members])?, None)
        }
        Stopping::Epochs(epochs) => {
            (fitting.phase(Phase::Final, &vec![EpochPlan::Exactly(*epochs); members])?, None)
        }
        Stopping::EpochsOfEach(each) => {
            let plans: Vec<EpochPlan> = each.iter().map(|&n| EpochPlan::Exactly(n)).collect();
            (fitting.phase(Phase::Final, &plans)?, None)
        }
        Stopping::Early(early) => {
            let most = early.most.unwrap_or(MOST_EPOCHS);
            let plan = EpochPlan::Search { patience: early.patience, most };
            let fitted = fitting.phase(Phase::Search, &vec![plan; members])?;
            let searched = fitted.members.clone();
            (fitted, Some(searched))
        }
    };
    if let (Stopping::Early(EarlyStopping { retrain: true, .. }), Some(searched)) =
        (&configuration.stopping, &searched)
    {
        let plans: Vec<EpochPlan> =
            searched.iter().map(|member| EpochPlan::Exactly(member.epochs)).collect();
        fitted = fitting.phase(Phase::Final, &plans)?;
    }
    fitting.model(fitted, searched)
}

#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "the device is for GPUs"))]
struct Fitting<'a> {
    device: &'a Device,
    data: &'a Dataset,
    configuration: &'a Configuration,
    settings: &'a LearnerSettings,
    labels: &'a PreparedLabels<'a>,
    observer: &'a dyn Observer,
    stop: &'a AtomicBool,
}

/// The result of a phase.
struct FittedPhase {
    learner: Learner,
    members: Vec<EpochsOfMember>,
    pipeline: Pipeline,
    rows: usize,
}

impl Fitting<'_> {
    /// Trains all members as their plans say, on the rows of the phase.
    fn phase(&self, phase: Phase, plans: &[EpochPlan]) -> Result<FittedPhase, TrainError> {
        let (data, configuration) = (self.data, self.configuration);
        let rows = Rows::new(data, configuration, phase)?;
        let scaling = configuration.scaling.or(self.settings.abilities().scaling);
        let scaling = scaling.unwrap_or(Scaling::default_for(data.feature_matrix()));
        let pipeline = Pipeline::fit_scaled(data, rows.train.iter().copied(), scaling)?;
        let learned = self.known(self.labels.learned().selected(&rows.train))?;
        let truth = self.known(self.labels.truth.selected(&rows.valid))?;
        let train = pipeline.transform(data, rows.train.iter().copied())?;
        let valid = pipeline.transform(data, rows.valid.iter().copied())?;
        let nominal = pipeline.value_counts();
        let encoded = |inputs, labels| {
            let rows = FitRows::new(inputs, pipeline.width(), labels, data.program());
            rows.with_nominal(&nominal).with_evaluated(data.evaluated())
        };
        let fit_rows = encoded(&train[..], &learned);
        let valid_rows = (!rows.valid.is_empty()).then(|| encoded(&valid[..], &truth));
        let most = plans.iter().map(|plan| match plan {
            EpochPlan::Exactly(epochs) => Some(*epochs),
            EpochPlan::Search { most, .. } => (*most < MOST_EPOCHS).then_some(*most),
        });
        let most = most.max().flatten();
        self.observer.phase(phase, plans.len(), rows.train.len(), most);
        let done = AtomicUsize::new(0);
        let progress = |pieces: usize, all: usize| {
            let others = done.fetch_add(1, Ordering::Relaxed);
            let pieces = if plans.len() == 1 { pieces } else { others + 1 };
            self.observer.pieces(pieces, all * plans.len());
        };
        let watch = Watch::new(self.stop, &progress);
        let member = |(member, &plan)| (configuration.member_seed(member), plan, watch);
        let plans: Vec<_> = plans.iter().enumerate().map(member).collect();
        let (learner, members) = self.fit(&fit_rows, valid_rows.as_ref(), &plans)?;
        Ok(FittedPhase { learner, members, pipeline, rows: rows.train.len() })
    }

    /// Trains all members, on the GPU if one is asked for and the method can use it.
    fn fit(
        &self,
        rows: &FitRows<'_>,
        valid: Option<&FitRows<'_>>,
        plans: &[MemberPlan<'_>],
    ) -> Result<(Learner, Vec<EpochsOfMember>), TrainError> {
        #[cfg(feature = "cuda")]
        if let Device::Cuda(gpu) = self.device {
            let fitted = if let Some(settings) = self.settings.get::<TwoWaySettings>() {
                Some(fit_two_ways(gpu, settings, rows, valid, plans)?)
            } else if let Some(settings) = self.settings.get::<LevelNetworkSettings>() {
                Some(fit_level_networks(gpu, settings, rows, valid, plans)?)
            } else {
                None
            };
            if let Some((members, records)) = fitted {
                return Ok((Learner::Members(Members::new(self.settings, members)), records));
            }
        }
        Ok(Learner::fit(self.settings, rows, valid, plans)?)
    }

    /// Labels that are all known.
    fn known(&self, labels: LabelMatrix) -> Result<LabelMatrix, TrainError> {
        let method = self.configuration.method.name();
        match labels.unknown_cells() {
            0 => Ok(labels),
            _ => Err(TrainError::Unsupported { method, what: "labels that are not known" }),
        }
    }

    fn model(
        &self,
        fitted: FittedPhase,
        searched: Option<Vec<EpochsOfMember>>,
    ) -> Result<Model, TrainError> {
        let record = |(member, of): (usize, &EpochsOfMember)| {
            let best = searched.as_ref().and_then(|searched| searched[member].best);
            MemberTraining {
                seed: self.configuration.member_seed(member),
                epochs: of.epochs,
                loss: of.loss,
                best: best.map(|value| (Monitor::Auprc, value)),
            }
        };
        let members = fitted.members.iter().enumerate().map(record).collect();
        let part = Part {
            configuration: self.configuration.clone(),
            training: Training::new(self.data, fitted.rows, members),
            pipeline: fitted.pipeline,
            learner: fitted.learner,
            weight: 1.0,
        };
        Ok(Model::new(self.data, part))
    }
}
