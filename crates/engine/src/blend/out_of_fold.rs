//! Predictions out of fold: every row is predicted by learners that were fitted on the other folds.

use super::{Blend, BlendError, fold_name};
use crate::configuration::Stopping;
use crate::dataset::{Dataset, DatasetError, Folds, Split};
use crate::labelled_scores::LabelledScores;
use crate::train::KeptModels;

impl Blend<'_> {
    /// Fits every learner once per fold, as it will be fitted on all rows, and predicts the fold.
    /// What stops early holds out rows of the other folds.
    pub(super) fn out_of_fold(
        &self,
        data: &Dataset,
        count: usize,
        files: &KeptModels,
    ) -> Result<Vec<LabelledScores<'static, f32>>, BlendError> {
        let folds = Folds::deal(data, count, &self.recipe).map_err(DatasetError::from)?;
        let mut unseen: Vec<LabelledScores<'static, f32>> = Vec::new();
        for fold in 0..folds.count() {
            let part = folds.data(data, fold)?;
            let mut validated = None;
            for (at, configuration) in self.configurations.iter().enumerate() {
                let stops_early = matches!(configuration.stopping, Stopping::Early(_));
                let part = match stops_early && configuration.method.has_epochs() {
                    true => match &mut validated {
                        Some(data) => data,
                        none => none.insert(self.recipe.hold_out(part.clone(), self.holdout)?),
                    },
                    false => &part,
                };
                let name = fold_name(at, fold);
                let model = files.fit(&name, &self.trainer, configuration, part)?;
                let scores =
                    model.score_coherent(part, part.split(Split::Test).unwrap_or_default())?;
                match unseen.get_mut(at) {
                    Some(learner) => learner.append(&scores),
                    None => unseen.push(scores.into_owned()),
                }
            }
        }
        Ok(unseen)
    }
}
