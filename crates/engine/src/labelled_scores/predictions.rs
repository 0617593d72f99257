//! Predictions with the truth.

use std::borrow::Cow;
use std::sync::OnceLock;

use rulebound_core::metrics::{Columns, LabelsInMetrics, MetricError};
use rulebound_core::{Ancestors, Labels, Violations};

use super::LabelledScores;

/// Scores, what is predicted, and the truth; which of the classes that may count do.
#[derive(Clone, Debug)]
pub struct LabelledPredictions<'a, F: Copy = f64> {
    pub(crate) rows: LabelledScores<'a, F>,
    pub(crate) decisions: Cow<'a, [bool]>,
    pub(crate) labels_in_metrics: LabelsInMetrics,
    // What follows is found when it is first asked for.
    /// None where the scores are probabilities.
    probabilities: OnceLock<Option<Vec<F>>>,
    /// For each row, whether it breaks a rule; none without rules.
    broken: OnceLock<Option<Vec<bool>>>,
    ancestors: OnceLock<Option<Ancestors>>,
}

impl<'a, F: Copy> LabelledPredictions<'a, F> {
    pub(crate) fn new(
        rows: LabelledScores<'a, F>,
        decisions: Cow<'a, [bool]>,
        labels_in_metrics: LabelsInMetrics,
    ) -> Self {
        let (broken, ancestors, probabilities) = Default::default();
        Self { rows, decisions, labels_in_metrics, probabilities, broken, ancestors }
    }

    /// The probabilities that the scores mean [default: what [`ScoresOf`](super::ScoresOf) says].
    #[must_use]
    pub fn with_probabilities(mut self, probabilities: Vec<F>) -> Self {
        self.probabilities = Some(probabilities).into();
        self
    }

    /// The same, borrowing nothing: the scores that they come from may go.
    #[must_use]
    pub fn into_owned(self) -> LabelledPredictions<'static, F> {
        let Self { labels_in_metrics, probabilities, broken, ancestors, .. } = self;
        let (rows, decisions) = (self.rows.into_owned(), self.decisions.into_owned().into());
        LabelledPredictions { rows, decisions, labels_in_metrics, probabilities, broken, ancestors }
    }

    /// The classes.
    pub fn labels(&self) -> &Labels {
        self.rows.labels()
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.rows()
    }

    /// The classes and labels that count.
    ///
    /// # Errors
    /// If the truth does not consist of whole rows.
    pub fn columns(&self) -> Result<Columns, MetricError> {
        self.rows.columns(self.labels_in_metrics)
    }

    /// For each row, whether it breaks a rule; none without rules.
    pub(crate) fn broken(&self) -> Option<&[bool]> {
        let broken = self.broken.get_or_init(|| {
            let counts = Violations::logical(self.rows.program()?, &self.decisions).per_row;
            Some(counts.into_iter().map(|count| count > 0).collect())
        });
        broken.as_deref()
    }

    /// The ancestors that the rules give classes, if any.
    pub(crate) fn ancestors(&self) -> Option<&Ancestors> {
        let ancestors = || self.rows.program().map(Ancestors::new);
        let found = self.ancestors.get_or_init(|| ancestors().filter(|found| !found.is_empty()));
        found.as_ref()
    }
}

impl LabelledPredictions<'_> {
    pub(crate) fn probabilities(&self) -> &[f64] {
        let found = self.probabilities.get_or_init(|| self.rows.probabilities());
        found.as_deref().unwrap_or(&self.rows.scores)
    }

    /// These rows, in this order; a row may be there more than once.
    pub(crate) fn choose(&self, rows: &[usize]) -> LabelledPredictions<'_> {
        let all = &self.rows;
        let classes = all.labels.len();
        let known = all.known.as_ref().map(|known| chosen(known, rows, classes).into());
        let truth = chosen(&all.truth, rows, classes).into();
        let scores = all.with_scores(chosen(&all.scores, rows, classes), all.of);
        let probabilities = self.probabilities.get_or_init(|| all.probabilities()).as_ref();
        LabelledPredictions {
            rows: LabelledScores { truth, known, ..scores },
            decisions: chosen(&self.decisions, rows, classes).into(),
            labels_in_metrics: self.labels_in_metrics,
            probabilities: probabilities.map(|cells| chosen(cells, rows, classes)).into(),
            broken: self.broken().map(|broken| chosen(broken, rows, 1)).into(),
            ancestors: self.ancestors().cloned().into(),
        }
    }
}

/// The values of these rows.
fn chosen<T: Copy>(values: &[T], rows: &[usize], width: usize) -> Vec<T> {
    rows.iter().flat_map(|&row| &values[row * width..(row + 1) * width]).copied().collect()
}
