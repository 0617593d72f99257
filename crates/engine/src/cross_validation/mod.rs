//! Cross-validation: as many fits as there are folds, each of which predicts the rows it has not seen.
//!
//! ```text
//! Dataset ── Folds ──> fit on the other folds ── predict the fold ──> scores of every row, once
//!                                             └─ evaluate ──> metrics of each fold, mean ± deviation
//! Dataset ── fit on all rows, for the mean of the best epochs ──> Model
//! ```
//!
//! With early stopping, each fit holds out a share of its own training rows for validation, drawn as
//! splits are: stratified, groups whole. Invariant: no row is predicted by a network that was fitted on
//! it, validated with it, or scaled by it.

mod error;
mod fold_scores;

pub use self::error::CrossValidationError;
pub use self::fold_scores::FoldScores;

use std::path::Path;

use rulebound_core::Thresholds;
use rulebound_core::metrics::LabelsInMetrics;
use serde::Serialize;

use crate::configuration::{Configuration, Stopping};
use crate::dataset::{Dataset, DatasetError, Folds, Split, SplitRecipe};
use crate::evaluate::{Evaluation, MemberEvaluations};
use crate::model::Model;
use crate::predict::{Head, Predictions};
use crate::train::{KeptModels, RunPaths, Trainer};

/// How to cross-validate.
#[derive(Clone, Debug)]
pub struct CrossValidation<'a> {
    /// How each fit is done; its paths are those of the final model, beside which each fold keeps its own.
    pub trainer: Trainer<'a>,
    /// The configuration of each fit.
    pub configuration: Configuration,
    /// Paths of the final fit.
    pub paths: RunPaths,
    /// The number of folds.
    pub folds: usize,
    /// Groups, stratification and seed of the folds.
    pub recipe: SplitRecipe,
    /// The thresholds of the decisions.
    pub thresholds: Thresholds,
}

/// What cross-validation found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CrossValidated {
    /// Mean, deviation and each fold.
    #[serde(flatten)]
    pub metrics: MemberEvaluations,
    /// The best epoch of each member of each fold.
    pub epochs: Vec<Vec<usize>>,
    /// The epochs of the final fit: the rounded mean of those, at least 1.
    pub final_epochs: usize,
}

impl CrossValidation<'_> {
    /// Fits and predicts all folds, then fits the final model on all rows but test rows.
    ///
    /// # Errors
    /// If the rows cannot be dealt, a fit fails or is stopped, or a file cannot be written. Folds that
    /// are done are kept in files until the end, so that a stopped run can be resumed.
    pub fn run(
        &self,
        data: &Dataset,
    ) -> Result<(Model, CrossValidated, FoldScores), CrossValidationError> {
        let folds = Folds::deal(data, self.folds, &self.recipe).map_err(DatasetError::from)?;
        let files = kept(&self.paths, self.folds);
        files.expect_none_unless_resumed()?;
        let mut scores = FoldScores::new(data, &folds);
        let (mut each, mut epochs): (Vec<Evaluation>, Vec<Vec<usize>>) = Default::default();
        for fold in 0..folds.count() {
            let part = self.validated(folds.data(data, fold)?)?;
            let model = files.fit(&name(fold), &self.trainer, &self.configuration, &part)?;
            let model = model.with_thresholds(self.thresholds.clone());
            let test = part.split(Split::Test).unwrap_or_default();
            let scored = model.score(&part, test)?;
            let logits = scored.scores();
            let mut predictions = Predictions::default();
            model.head().predict(logits, &mut predictions)?;
            let mut raw = Predictions::default();
            Head::new(model.labels(), model.thresholds(), None).predict(logits, &mut raw)?;
            scores.fill(folds.rows(fold), &predictions.probabilities(), &raw.probabilities());
            each.push(model.predictions_of(&scored, LabelsInMetrics::All)?.evaluate()?);
            epochs.push(model.training().members.iter().map(|member| member.epochs).collect());
        }
        let final_epochs = match &self.configuration.stopping {
            Stopping::Epochs(epochs) => *epochs,
            Stopping::Early(_) | Stopping::EpochsOfEach(_) => mean(&epochs),
        };
        let configuration = Configuration {
            stopping: Stopping::Epochs(final_epochs),
            ..self.configuration.clone()
        };
        let trainer = self.trainer.clone().configuration(configuration).paths(self.paths.clone());
        let model = trainer.fit(data)?;
        files.remove();
        let metrics = MemberEvaluations::new(each);
        Ok((model, CrossValidated { metrics, epochs, final_epochs }, scores))
    }

    /// The data of a fit with validation rows, if it needs any.
    fn validated(&self, data: Dataset) -> Result<Dataset, CrossValidationError> {
        let Stopping::Early(early) = &self.configuration.stopping else { return Ok(data) };
        Ok(self.recipe.hold_out(data, early.holdout)?)
    }
}

/// Where folds are kept.
fn kept(paths: &RunPaths, folds: usize) -> KeptModels {
    KeptModels::new(paths, (0..folds).map(name))
}

/// `fold1` for the first.
fn name(fold: usize) -> String {
    format!("fold{}", fold + 1)
}

/// Removes what an unfinished run with this checkpoint and this many folds has kept of them.
pub fn discard_folds(checkpoint: &Path, folds: usize) {
    let paths = RunPaths { checkpoint: Some(checkpoint.to_path_buf()), ..RunPaths::default() };
    kept(&paths, folds).discard();
}

/// The rounded mean number of epochs, at least 1.
fn mean(epochs: &[Vec<usize>]) -> usize {
    let (count, sum) = (epochs.iter().flatten().count(), epochs.iter().flatten().sum::<usize>());
    ((sum as f64 / count.max(1) as f64).round() as usize).max(1)
}
