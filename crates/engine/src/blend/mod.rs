//! Blends: learners of unlike kinds in one model, whose probabilities are averaged with weights.
//!
//! ```text
//! choices ── fit each on train ──> coherent probabilities of the validation rows ── weights
//!         └─ fit each on train and valid ──> parts ── with those weights ──> Model
//! ```
//!
//! Each part is made coherent by itself, the parts are averaged, and the constraint layer comes
//! last: predictions of a blend never break a rule. Invariant: weights are chosen on rows on which the
//! learners were not fitted: validation rows, which early stopping has seen, or all rows but test
//! rows, fold by fold, which it has not.

mod choice;
mod error;
mod out_of_fold;
mod weights;

pub use choice::{LearnerChoice, ParseChoiceError};
pub use error::BlendError;
pub use weights::{BlendWeights, WeightSearch};

use std::path::Path;

use rulebound_core::metrics::Metric;
use serde::Serialize;

use crate::configuration::{Configuration, Method, Stopping};
use crate::dataset::{Dataset, DatasetError, Split, SplitRecipe};
use crate::labelled_scores::LabelledScores;
use crate::model::{Model, Part};
use crate::train::{KeptModels, RunPaths, Trainer};

/// How to train a blend.
#[derive(Clone, Debug)]
pub struct Blend<'a> {
    /// How each learner is trained.
    pub trainer: Trainer<'a>,
    /// The configuration of each learner.
    pub configurations: Vec<Configuration>,
    /// How much each learner counts, or how that is chosen.
    pub weights: BlendWeights,
    /// The paths of the run, beside which each fit is kept until the end.
    pub paths: RunPaths,
    /// The folds in which weights are chosen; none chooses them on validation rows.
    pub folds: Option<usize>,
    /// How folds, and validation rows if there are none, are drawn: groups, stratification, seed.
    pub recipe: SplitRecipe,
    /// The share of the training rows that are then held out.
    pub holdout: f64,
}

/// What was found about a blend.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BlendReport {
    /// Each learner, in order.
    pub learners: Vec<LearnerReport>,
    /// What the weights were chosen by; none if they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<WeightSearch>,
}

/// A learner of a blend.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LearnerReport {
    /// Its method.
    pub method: Method,
    /// What it consists of; none if it counts nothing.
    pub learner: Option<String>,
    /// Its weight.
    pub weight: f64,
    /// Its own value of the metric on the rows on which weights were chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<f64>,
}

impl Blend<'_> {
    /// Trains all learners, chooses the weights, and puts the parts together.
    ///
    /// # Errors
    /// If a configuration cannot be part of a blend, a fit fails or is stopped, or the metric is
    /// undefined on the rows that weights are chosen on. Fits that are done are kept in files, so that a stopped run
    /// can be resumed; [`discard_learners`] removes them once the model is saved.
    pub fn run(&self, data: &Dataset) -> Result<(Model, BlendReport), BlendError> {
        self.expect_sound()?;
        let files = kept(&self.paths, self.configurations.len(), self.folds);
        files.expect_none_unless_resumed()?;
        let (weights, search, fits): (Vec<f64>, _, Vec<FinalFit>) = match &self.weights {
            BlendWeights::Given(weights) => {
                let fits = self.configurations.iter().map(FinalFit::needed).collect();
                (weights.clone(), None, fits)
            }
            BlendWeights::Chosen(metric) => {
                let (search, fits) = self.choose(data, *metric, &files)?;
                (search.weights.clone(), Some(search), fits)
            }
        };
        let mut parts = Vec::new();
        let mut model = None;
        let mut learners = Vec::new();
        for (at, fit) in fits.into_iter().enumerate() {
            let weight = weights[at];
            let mut report = LearnerReport {
                method: self.configurations[at].method,
                learner: None,
                weight,
                alone: search.as_ref().map(|search| search.alone[at]),
            };
            // What counts nothing is not in the model.
            if weight == 0.0 {
                learners.push(report);
                continue;
            }
            let fitted = match fit {
                FinalFit::Needed(configuration) => {
                    files.fit(&final_name(at), &self.trainer, &configuration, data)?
                }
                FinalFit::Done(model) => *model,
            };
            report.learner = fitted.parts().first().map(|part| part.learner().to_string());
            learners.push(report);
            parts.extend(fitted.parts().first().map(|part| Part { weight, ..part.clone() }));
            model.get_or_insert(fitted);
        }
        let mut model = model.ok_or(BlendError::NoLearners)?;
        model.parts = parts;
        model.source = None;
        Ok((model, BlendReport { learners, search }))
    }

    /// Chooses the weights with learners that have not seen the rows.
    fn choose(
        &self,
        data: &Dataset,
        metric: Metric,
        files: &KeptModels,
    ) -> Result<(WeightSearch, Vec<FinalFit>), BlendError> {
        let (unseen, fits) = match self.folds {
            Some(folds) => {
                let fits = self.configurations.iter().map(FinalFit::needed).collect();
                (self.out_of_fold(data, folds, files)?, fits)
            }
            None => self.on_validation_rows(data, files)?,
        };
        let mut search = weights::search(metric, &unseen, data.program())?;
        search.folds = self.folds;
        Ok((search, fits))
    }

    /// Fits every learner on the training rows and predicts the validation rows.
    fn on_validation_rows(
        &self,
        data: &Dataset,
        files: &KeptModels,
    ) -> Result<(Vec<LabelledScores<'static, f32>>, Vec<FinalFit>), BlendError> {
        let data = self.validated(data)?;
        let rows = data.split(Split::Valid).unwrap_or_default();
        let (mut unseen, mut fits) = (Vec::new(), Vec::new());
        for (at, configuration) in self.configurations.iter().enumerate() {
            let model = self.searched(at, &data, files)?;
            unseen.push(model.score_coherent(&data, rows.clone())?.into_owned());
            fits.push(FinalFit::after(model, configuration));
        }
        Ok((unseen, fits))
    }

    /// A learner fitted on the training rows. Those that stop early watch the validation rows; the
    /// others must not see them.
    fn searched(&self, at: usize, data: &Dataset, files: &KeptModels) -> Result<Model, BlendError> {
        let mut configuration = self.configurations[at].clone();
        let watches = match &mut configuration.stopping {
            Stopping::Early(early) => {
                early.retrain = false;
                configuration.method.has_epochs()
            }
            Stopping::Epochs(_) | Stopping::EpochsOfEach(_) => false,
        };
        let hidden;
        let data = match watches {
            true => data,
            false => {
                hidden = without_validation(data)?;
                &hidden
            }
        };
        Ok(files.fit(&search_name(at), &self.trainer, &configuration, data)?)
    }

    /// The data with validation rows.
    fn validated(&self, data: &Dataset) -> Result<Dataset, BlendError> {
        if data.split(Split::Valid).is_some_and(|rows| !rows.is_empty()) {
            return Ok(data.clone());
        }
        Ok(self.recipe.hold_out(data.clone(), self.holdout)?)
    }

    fn expect_sound(&self) -> Result<(), BlendError> {
        if self.configurations.len() < 2 {
            return Err(BlendError::NoLearners);
        }
        if let BlendWeights::Given(weights) = &self.weights {
            let (found, expected) = (weights.len(), self.configurations.len());
            if found != expected {
                return Err(BlendError::Weights { found, expected });
            }
        }
        match self.configurations.iter().find(|of| !of.is_coherent()) {
            Some(plain) => Err(BlendError::Incoherent { method: plain.method }),
            None => Ok(()),
        }
    }
}

/// How a learner gets its final form.
enum FinalFit {
    /// By a fit on all rows but test rows.
    Needed(Box<Configuration>),
    /// It has it: validation rows are needed for stopping, and a second training was not asked for.
    Done(Box<Model>),
}

impl FinalFit {
    fn needed(configuration: &Configuration) -> Self {
        Self::Needed(Box::new(configuration.clone()))
    }

    fn after(searched: Model, configuration: &Configuration) -> Self {
        let Stopping::Early(early) = &configuration.stopping else {
            return Self::needed(configuration);
        };
        if !configuration.method.has_epochs() {
            return Self::needed(configuration);
        }
        if !early.retrain {
            return Self::Done(Box::new(searched));
        }
        let epochs = searched.training().members.iter().map(|member| member.epochs).collect();
        let stopping = Stopping::EpochsOfEach(epochs);
        Self::needed(&Configuration { stopping, ..configuration.clone() })
    }
}

/// Training rows as they are, validation rows as test rows, and no others.
fn without_validation(data: &Dataset) -> Result<Dataset, DatasetError> {
    let mut splits = vec![None; data.rows()];
    for (split, rows) in data.splits() {
        let split = match split {
            Split::Train => Some(Split::Train),
            Split::Valid => Some(Split::Test),
            Split::Test => None,
        };
        splits[rows].fill(split);
    }
    data.selected(&splits)
}

/// Where the fits of a blend are kept.
fn kept(paths: &RunPaths, learners: usize, folds: Option<usize>) -> KeptModels {
    let names = (0..learners).flat_map(|at| {
        let folds = (0..folds.unwrap_or(0)).map(move |fold| fold_name(at, fold));
        [search_name(at), final_name(at)].into_iter().chain(folds)
    });
    KeptModels::new(paths, names)
}

fn search_name(at: usize) -> String {
    format!("learner{}.search", at + 1)
}

fn final_name(at: usize) -> String {
    format!("learner{}", at + 1)
}

fn fold_name(at: usize, fold: usize) -> String {
    format!("learner{}.fold{}", at + 1, fold + 1)
}

/// Removes what a run with this checkpoint, this many learners and these folds has kept of them: its
/// model is saved, or it is to start over.
pub fn discard_learners(checkpoint: &Path, learners: usize, folds: Option<usize>) {
    let paths = RunPaths { checkpoint: Some(checkpoint.to_path_buf()), ..RunPaths::default() };
    kept(&paths, learners, folds).discard();
}
