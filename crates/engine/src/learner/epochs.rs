//! Training by epochs: a fixed number of them, or as many as validation rows ask for.

use std::sync::Arc;

use rulebound_core::metrics::{Columns, Ranking, auprc};
use rulebound_core::{ConstraintLayer, Thresholds};

use super::fitted::Fitted;
use super::rows::{FitError, FitRows};
use super::watch::Watch;

/// How long to train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EpochPlan {
    /// This many epochs; the last network is kept.
    Exactly(usize),
    /// Until the AU(PRC) of the validation rows has not improved for `patience` epochs, at most
    /// `most`; the network of the best epoch is kept.
    Search {
        /// Epochs without improvement.
        patience: usize,
        /// The maximum number of epochs.
        most: usize,
    },
}

/// How a member was trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EpochsOfMember {
    /// Its epochs.
    pub epochs: usize,
    /// The mean loss of its last epoch.
    pub loss: f64,
    /// The AU(PRC) of the validation rows, if there were any.
    pub best: Option<f64>,
}

/// A member to train: its seed, how long, and who watches it.
pub type MemberPlan<'a> = (u64, EpochPlan, Watch<'a>);

/// A fitted member of a learner, and how it was trained.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedMember<X = Arc<dyn Fitted>> {
    /// The learner.
    pub learner: X,
    /// Its epochs; 0 for a learner that has none.
    pub epochs: usize,
    /// The mean loss of its last epoch.
    pub loss: f64,
    /// The AU(PRC) of the validation rows, if there were any.
    pub best: Option<f64>,
}

impl FittedMember {
    /// A learner that is not trained by epochs.
    pub fn at_once(learner: impl Fitted) -> Self {
        Self { learner: Arc::new(learner), epochs: 0, loss: f64::NAN, best: None }
    }

    /// How it was trained.
    pub fn record(&self) -> EpochsOfMember {
        EpochsOfMember { epochs: self.epochs, loss: self.loss, best: self.best }
    }
}

impl<X: Fitted> FittedMember<X> {
    /// The same, of any kind.
    pub fn of_any_kind(self) -> FittedMember {
        let Self { learner, epochs, loss, best } = self;
        FittedMember { learner: Arc::new(learner), epochs, loss, best }
    }
}

/// What is trained epoch by epoch.
pub(super) trait TrainedByEpochs {
    /// What comes out.
    type Learner: Clone;

    /// Trains for an epoch, numbered from 0, and returns its mean loss.
    fn epoch(&mut self, epoch: u32, watch: &Watch<'_>) -> Result<f64, FitError>;

    /// The learner as it is now.
    fn learner(&self) -> &Self::Learner;

    /// The logits of rows.
    fn logits(&self, inputs: &[f32], logits: &mut [f32]);
}

/// Trains `trainee` as the plan says.
///
/// # Errors
/// If the loss is no longer a number, or the fit is stopped.
///
/// # Panics
/// If the plan searches and there are no validation rows.
pub(super) fn train<T: TrainedByEpochs>(
    method: &'static str,
    mut trainee: T,
    plan: EpochPlan,
    valid: Option<&FitRows<'_>>,
    watch: &Watch<'_>,
) -> Result<FittedMember<T::Learner>, FitError> {
    let (most, patience) = match plan {
        EpochPlan::Exactly(epochs) => (epochs, None),
        EpochPlan::Search { patience, most } => (most, Some(patience)),
    };
    let validation = patience.map(|_| match valid {
        Some(valid) => Validation::new(valid),
        None => panic!("a search needs validation rows"),
    });
    let mut best: Option<FittedMember<T::Learner>> = None;
    let mut last = f64::NAN;
    for epoch in 0..most {
        last = trainee.epoch(epoch as u32, watch)?;
        if !last.is_finite() {
            let what = format!("in epoch {}", epoch + 1);
            return Err(FitError::Diverged { method, what });
        }
        if let Some(validation) = &validation {
            let mut logits = vec![0.0; validation.truth.len()];
            trainee.logits(validation.rows.inputs(), &mut logits);
            let value = validation.auprc(&logits).unwrap_or(f64::NAN);
            if best.as_ref().and_then(|best| best.best).is_none_or(|best| value > best) {
                let learner = trainee.learner().clone();
                let fitted =
                    FittedMember { learner, epochs: epoch + 1, loss: last, best: Some(value) };
                best = Some(fitted);
            }
        }
        watch.done(epoch + 1, most)?;
        let kept = best.as_ref().map_or(0, |best| best.epochs);
        if patience.is_some_and(|patience| epoch + 1 - kept >= patience) {
            break;
        }
    }
    Ok(best.unwrap_or_else(|| FittedMember {
        learner: trainee.learner().clone(),
        epochs: most,
        loss: last,
        best: None,
    }))
}

/// Validation rows, and the layer that scores go through.
#[derive(Debug)]
pub(crate) struct Validation<'a> {
    rows: &'a FitRows<'a>,
    layer: ConstraintLayer,
    truth: Vec<bool>,
    columns: Columns,
}

impl<'a> Validation<'a> {
    /// These rows.
    pub fn new(rows: &'a FitRows<'a>) -> Self {
        let classes = rows.classes();
        let mut truth = vec![false; rows.rows() * classes];
        for (row, truth) in truth.chunks_mut(classes.max(1)).enumerate() {
            rows.labels().unpack(row, truth);
        }
        let evaluated: Vec<bool> = (0..classes).map(|class| rows.is_evaluated(class)).collect();
        let halves = Thresholds::half(classes);
        let layer = ConstraintLayer::new(&rows.program().without_requirements(), halves);
        Self { rows, layer, truth, columns: Columns::evaluated(&evaluated) }
    }

    /// The AU(PRC) of logits after the layer; none if one is NaN or no label is true.
    pub fn auprc(&self, logits: &[f32]) -> Option<f64> {
        let mut coherent = vec![0.0; logits.len()];
        self.layer.forward(logits, &mut coherent, &mut self.layer.workspace()).ok()?;
        auprc(&Ranking::new(&coherent, &self.truth, &self.columns).ok()?)
    }
}
