//! Scores and the truth, checked once for all metrics of rankings.

use super::columns::Columns;
use super::error::{MetricError, rows};
use super::ranked_row::RankedRow;
use super::score::Score;
use super::staircase::Staircase;

/// The scores of examples and their true classes.
///
/// Invariant: scores and truth have the same size, whole rows, and no NaN in a class that counts.
#[derive(Clone, Copy, Debug)]
pub struct Ranking<'a, F> {
    scores: &'a [F],
    truth: &'a [bool],
    columns: &'a Columns,
    rows: usize,
}

impl<'a, F: Score> Ranking<'a, F> {
    /// Scores and truth, both row-major `[rows × classes]`. Scores may be probabilities, logits or
    /// margins: only their order matters.
    ///
    /// # Errors
    /// If the sizes do not match, or a score of a class that counts is NaN.
    pub fn new(
        scores: &'a [F],
        truth: &'a [bool],
        columns: &'a Columns,
    ) -> Result<Self, MetricError> {
        if scores.len() != truth.len() {
            return Err(MetricError::Sizes { expected: truth.len(), found: scores.len() });
        }
        let rows = rows(truth.len(), columns.classes())?;
        columns.expect_size(truth.len())?;
        for (row, scores) in scores.chunks_exact(columns.classes().max(1)).enumerate() {
            let nan = columns.counted().iter().find(|&&class| scores[class].is_nan());
            if let Some(&class) = nan {
                return Err(MetricError::NaN { row, class });
            }
        }
        Ok(Self { scores, truth, columns, rows })
    }

    /// The number of examples.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The classes that count.
    pub fn columns(&self) -> &Columns {
        self.columns
    }

    /// All pairs of example and class in one staircase.
    pub(super) fn pairs(&self) -> Staircase<F::Key> {
        let mut pairs = Staircase::with_room(self.columns.pairs(self.rows));
        for row in 0..self.rows {
            let (scores, truth) = self.row(row);
            for class in self.columns.known_classes(row) {
                pairs.push(scores[class].key(), truth[class]);
            }
        }
        pairs
    }

    /// Every example in turn with its known labels, ranked once; not those without one.
    pub(super) fn each_row(&self, mut visit: impl FnMut(&RankedRow)) {
        let counted = self.columns.counted();
        let mut ranked = RankedRow::default();
        let mut staircase = Staircase::with_room(counted.len());
        for row in (0..self.rows).filter(|_| !counted.is_empty()) {
            let (scores, truth) = self.row(row);
            let classes = self.columns.known_classes(row);
            ranked.fill(classes.map(|class| (scores[class].key(), truth[class])), &mut staircase);
            if ranked.classes() > 0 {
                visit(&ranked);
            }
        }
    }

    /// Every class that counts in turn, with its examples in one staircase.
    pub(super) fn each_class(&self, mut visit: impl FnMut(&mut Staircase<F::Key>)) {
        let room = || Staircase::with_room(self.rows);
        // Some classes at a time: a row's neighbours share a cache line.
        let mut staircases: Vec<_> = (0..TOGETHER).map(|_| room()).collect();
        for classes in self.columns.counted().chunks(TOGETHER) {
            staircases.iter_mut().for_each(Staircase::clear);
            for row in 0..self.rows {
                let (scores, truth) = self.row(row);
                for (staircase, &class) in staircases.iter_mut().zip(classes) {
                    if self.columns.is_known(row, class) {
                        staircase.push(scores[class].key(), truth[class]);
                    }
                }
            }
            staircases.iter_mut().take(classes.len()).for_each(&mut visit);
        }
    }

    /// Scores and truth of one example, of all classes.
    pub(super) fn row(&self, row: usize) -> (&'a [F], &'a [bool]) {
        let classes = self.columns.classes();
        let at = row * classes..(row + 1) * classes;
        (&self.scores[at.clone()], &self.truth[at])
    }
}

/// Classes that are gathered in one pass over the rows.
const TOGETHER: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        let columns = Columns::all(2);
        let new = |scores: &[f64], truth: &[bool]| Ranking::new(scores, truth, &columns).err();
        assert_eq!(new(&[0.0; 4], &[true; 4]), None);
        assert_eq!(new(&[0.0; 4], &[true; 2]), Some(MetricError::Sizes { expected: 2, found: 4 }));
        assert_eq!(new(&[0.0; 3], &[true; 3]), Some(MetricError::Rows { values: 3, classes: 2 }));
        let nan = [0.0, 1.0, 2.0, f64::NAN];
        assert_eq!(new(&nan, &[true; 4]), Some(MetricError::NaN { row: 1, class: 1 }));
    }

    #[test]
    fn nan_in_a_class_that_does_not_count_does_not_matter() {
        let columns = Columns::evaluated(&[true, false]);
        let ranking = Ranking::new(&[0.5, f64::NAN], &[true, false], &columns).unwrap();
        assert_eq!(ranking.pairs().average_precision(), Some(1.0));
    }
}
