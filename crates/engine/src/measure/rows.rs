//! Predictions that are measured, beyond their evaluation.

use rulebound_core::metrics::{
    ClassMetrics, Columns, FurtherInput, FurtherMetrics, MetricError, Metrics, Ranking, Reliability,
};

use super::figures::Figures;
use crate::labelled_scores::LabelledPredictions;

impl LabelledPredictions<'_> {
    /// All figures, the further metrics if they are asked for.
    ///
    /// # Errors
    /// If a score of a class that counts is NaN.
    pub fn figures(&self, with_further: bool) -> Result<Figures, MetricError> {
        let columns = self.columns()?;
        let metrics =
            Metrics::new(self.rows.scores(), &self.decisions, self.rows.truth(), &columns)?;
        let further =
            with_further.then(|| FurtherMetrics::new(self.input(), &columns)).transpose()?;
        let share = |broken: &[bool]| {
            let rows = broken.iter().filter(|is_it| **is_it).count();
            (!broken.is_empty()).then(|| rows as f64 / broken.len() as f64)
        };
        let violation_rate = self.broken().and_then(share);
        Ok(Figures { metrics, further, violation_rate })
    }

    /// The metrics of each class that counts.
    ///
    /// # Errors
    /// If a score of a class that counts is NaN.
    pub fn class_metrics(&self) -> Result<Vec<ClassMetrics>, MetricError> {
        let (scores, truth) = (self.rows.scores(), self.rows.truth());
        ClassMetrics::of_each(scores, &self.decisions, truth, &self.columns()?)
    }

    /// How often what is predicted with a probability is true.
    ///
    /// # Errors
    /// If a probability of a class that counts is NaN.
    pub fn reliability(&self) -> Result<Reliability, MetricError> {
        Ok(Reliability::new(&self.probable(&self.columns()?)?))
    }

    /// Scores and truth of the classes that `columns` counts.
    pub(super) fn ranking<'a>(
        &'a self,
        columns: &'a Columns,
    ) -> Result<Ranking<'a, f64>, MetricError> {
        Ranking::new(self.rows.scores(), self.rows.truth(), columns)
    }

    /// Probabilities and truth of the classes that `columns` counts.
    pub(super) fn probable<'a>(
        &'a self,
        columns: &'a Columns,
    ) -> Result<Ranking<'a, f64>, MetricError> {
        Ranking::new(self.probabilities(), self.rows.truth(), columns)
    }

    fn input(&self) -> FurtherInput<'_, f64> {
        FurtherInput {
            scores: self.rows.scores(),
            probabilities: self.probabilities(),
            decisions: &self.decisions,
            truth: self.rows.truth(),
            ancestors: self.ancestors(),
        }
    }
}
