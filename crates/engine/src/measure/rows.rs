//! Rows that are measured: scores, probabilities, decisions and truth, with the classes that count.

use rulebound_core::metrics::{
    ClassMetrics, Columns, FurtherInput, FurtherMetrics, LabelsInMetrics, MetricError, Metrics,
    Ranking, Reliability,
};
use rulebound_core::{Ancestors, Labels, Program, Violations};

use super::figures::Figures;
use crate::evaluate::{EvaluateError, Scored, ScoredRows, TableRows};
use crate::predict::Predictions;

/// Predictions and the truth, row-major `[rows × classes]`.
#[derive(Clone, Debug)]
pub struct MeasuredRows {
    labels: Labels,
    evaluated: Vec<bool>,
    labels_in_metrics: LabelsInMetrics,
    ancestors: Option<Ancestors>,
    scores: Vec<f64>,
    probabilities: Vec<f64>,
    decisions: Vec<bool>,
    truth: Vec<bool>,
    /// Which labels are known; none if all are.
    known: Option<Vec<bool>>,
    /// For each row, whether it breaks a rule; none without rules.
    broken: Option<Vec<bool>>,
}

impl MeasuredRows {
    /// The predictions of all members of a model together.
    ///
    /// # Errors
    /// If a logit is NaN, or the model does not know which classes were seen in training.
    pub fn of_model(
        scored: &Scored<'_>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Result<Self, EvaluateError> {
        let model = scored.model();
        let mut predictions = Predictions::default();
        model.head().predict(scored.ensemble_logits(), &mut predictions)?;
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
        let rows = Self {
            labels: model.labels().clone(),
            evaluated: model.counted(labels_in_metrics)?,
            labels_in_metrics,
            ancestors: None,
            scores: wide(&predictions.logits()),
            probabilities: wide(&predictions.probabilities()),
            decisions: predictions.decisions(),
            truth: scored.truth.clone(),
            known: scored.known.clone(),
            broken: None,
        };
        Ok(rows.under(Some(model.program())))
    }

    /// The scores of a table, decided as `decisions` says.
    pub fn of_table(
        rows: &TableRows,
        decisions: Vec<bool>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Self {
        let own = Self {
            labels: rows.labels().clone(),
            evaluated: rows.counted().to_vec(),
            labels_in_metrics,
            ancestors: None,
            scores: rows.scores().to_vec(),
            probabilities: rows.probabilities(),
            decisions,
            truth: rows.truth().to_vec(),
            known: rows.known().map(<[bool]>::to_vec),
            broken: None,
        };
        own.under(rows.program())
    }

    /// Scores, decisions and truth from anywhere, with the probabilities that the scores mean.
    ///
    /// # Panics
    /// If there is not one probability, and one mark of what is known, for each score.
    pub fn of_rows(
        labels: Labels,
        rows: ScoredRows<'_, f64>,
        probabilities: Vec<f64>,
        known: Option<Vec<bool>>,
        program: Option<&Program>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Self {
        let cells = rows.scores.len();
        assert_eq!(probabilities.len(), cells, "a probability for each score");
        assert!(known.as_ref().is_none_or(|known| known.len() == cells), "a mark for each score");
        let own = Self {
            evaluated: vec![true; labels.len()],
            labels,
            labels_in_metrics,
            ancestors: None,
            scores: rows.scores.to_vec(),
            probabilities,
            decisions: rows.decisions.to_vec(),
            truth: rows.truth.to_vec(),
            known,
            broken: None,
        };
        own.under(program)
    }

    /// With the rules that give ancestors and can be broken.
    fn under(mut self, program: Option<&Program>) -> Self {
        self.ancestors = program.map(Ancestors::new).filter(|ancestors| !ancestors.is_empty());
        self.broken = program.map(|program| {
            let counts = Violations::logical(program, &self.decisions).per_row;
            counts.into_iter().map(|count| count > 0).collect()
        });
        self
    }

    /// The classes.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.truth.len().checked_div(self.labels.len()).unwrap_or(0)
    }

    /// The classes that count.
    ///
    /// # Errors
    /// Never for rows made here; as [`Columns::new`].
    pub fn columns(&self) -> Result<Columns, MetricError> {
        let columns = Columns::new(&self.evaluated, &self.truth, self.labels_in_metrics)?;
        self.masked(columns)
    }

    /// The classes of `columns`, without labels that are not known.
    pub(super) fn masked(&self, columns: Columns) -> Result<Columns, MetricError> {
        match &self.known {
            Some(known) => columns.with_known(known.clone()),
            None => Ok(columns),
        }
    }

    /// All figures, the further metrics if they are asked for.
    ///
    /// # Errors
    /// If a score of a class that counts is NaN.
    pub fn figures(&self, with_further: bool) -> Result<Figures, MetricError> {
        let columns = self.columns()?;
        let metrics = Metrics::new(&self.scores, &self.decisions, &self.truth, &columns)?;
        let further =
            with_further.then(|| FurtherMetrics::new(self.input(), &columns)).transpose()?;
        let share = |broken: &Vec<bool>| {
            let rows = broken.iter().filter(|is_it| **is_it).count();
            (!broken.is_empty()).then(|| rows as f64 / broken.len() as f64)
        };
        let violation_rate = self.broken.as_ref().and_then(share);
        Ok(Figures { metrics, further, violation_rate })
    }

    /// The metrics of each class that counts.
    ///
    /// # Errors
    /// If a score of a class that counts is NaN.
    pub fn class_metrics(&self) -> Result<Vec<ClassMetrics>, MetricError> {
        ClassMetrics::of_each(&self.scores, &self.decisions, &self.truth, &self.columns()?)
    }

    /// How often what is predicted with a probability is true.
    ///
    /// # Errors
    /// If a probability of a class that counts is NaN.
    pub fn reliability(&self) -> Result<Reliability, MetricError> {
        Ok(Reliability::new(&self.probabilities(&self.columns()?)?))
    }

    /// Scores and truth of the classes that `columns` counts.
    pub(super) fn ranking<'a>(
        &'a self,
        columns: &'a Columns,
    ) -> Result<Ranking<'a, f64>, MetricError> {
        Ranking::new(&self.scores, &self.truth, columns)
    }

    /// Probabilities and truth of the classes that `columns` counts.
    pub(super) fn probabilities<'a>(
        &'a self,
        columns: &'a Columns,
    ) -> Result<Ranking<'a, f64>, MetricError> {
        Ranking::new(&self.probabilities, &self.truth, columns)
    }

    fn input(&self) -> FurtherInput<'_, f64> {
        FurtherInput {
            scores: &self.scores,
            probabilities: &self.probabilities,
            decisions: &self.decisions,
            truth: &self.truth,
            ancestors: self.ancestors.as_ref(),
        }
    }

    /// These rows, in this order; a row may be there more than once.
    pub(super) fn choose(&self, rows: &[usize]) -> Self {
        let classes = self.labels.len();
        Self {
            labels: self.labels.clone(),
            evaluated: self.evaluated.clone(),
            labels_in_metrics: self.labels_in_metrics,
            ancestors: self.ancestors.clone(),
            scores: chosen(&self.scores, rows, classes),
            probabilities: chosen(&self.probabilities, rows, classes),
            decisions: chosen(&self.decisions, rows, classes),
            truth: chosen(&self.truth, rows, classes),
            known: self.known.as_ref().map(|known| chosen(known, rows, classes)),
            broken: self.broken.as_ref().map(|broken| chosen(broken, rows, 1)),
        }
    }
}

/// The values of these rows.
fn chosen<T: Copy>(values: &[T], rows: &[usize], width: usize) -> Vec<T> {
    rows.iter().flat_map(|&row| &values[row * width..(row + 1) * width]).copied().collect()
}
