//! What counts in metrics: the root of a hierarchy does not, a class without a positive example need
//! not, and a label that is not known cannot.

use super::error::{MetricError, rows};

crate::named_enum! {
    /// Which classes count.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum LabelsInMetrics: "a choice of classes" {
        /// Only classes with at least one positive example.
        #[default]
        Present = "present",
        /// Every class that is evaluated.
        All = "all",
        /// Only classes that some training rows have and some do not. Metrics do not know training
        /// rows: the classes that are evaluated are to be these.
        Seen = "seen",
    }
}

/// The classes that count, out of the classes there are, and the labels that are known.
///
/// Invariant: the classes that count are in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Columns {
    classes: usize,
    counted: Vec<usize>,
    /// Row-major; none if all labels are known.
    known: Option<Vec<bool>>,
}

impl Columns {
    /// All of `classes` classes.
    pub fn all(classes: usize) -> Self {
        Self { classes, counted: (0..classes).collect(), known: None }
    }

    /// The classes that are true in `evaluated`.
    pub fn evaluated(evaluated: &[bool]) -> Self {
        let counted = (0..evaluated.len()).filter(|&class| evaluated[class]).collect();
        Self { classes: evaluated.len(), counted, known: None }
    }

    /// The classes that are true in `evaluated` and, with [`LabelsInMetrics::Present`], also in at
    /// least one row of `truth`, row-major `[rows × classes]`.
    ///
    /// ```
    /// use rulebound_core::metrics::{Columns, LabelsInMetrics};
    /// let truth = [true, false, true, true, false, false];
    /// let columns = Columns::new(&[false, true, true], &truth, LabelsInMetrics::Present)?;
    /// assert_eq!(columns.counted(), [2]);
    /// # Ok::<(), rulebound_core::metrics::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// If `truth` does not consist of whole rows.
    pub fn new(
        evaluated: &[bool],
        truth: &[bool],
        labels: LabelsInMetrics,
    ) -> Result<Self, MetricError> {
        rows(truth.len(), evaluated.len())?;
        let mut columns = Self::evaluated(evaluated);
        if labels == LabelsInMetrics::Present {
            let mut present = vec![false; evaluated.len()];
            for row in truth.chunks_exact(evaluated.len().max(1)) {
                for (present, &truth) in present.iter_mut().zip(row) {
                    *present |= truth;
                }
            }
            columns.counted.retain(|&class| present[class]);
        }
        Ok(columns)
    }

    /// Where the truth is known, row-major `[rows × classes]`: a label that is not known does not
    /// count, nor does a class of which no label is known.
    ///
    /// In metrics over all pairs of example and class the pair is left out, in those of a class the
    /// example, and in those of an example the class; an example without a known label is left out.
    /// The truth of a label that is not known is to be false.
    ///
    /// ```
    /// use rulebound_core::metrics::{Columns, Ranking, auprc};
    /// let (scores, truth) = ([0.9, 0.8, 0.7], [true, false, true]);
    /// let columns = Columns::all(1).with_known(vec![true, false, true])?;
    /// assert_eq!(auprc(&Ranking::new(&scores, &truth, &columns)?), Some(1.0));
    /// # Ok::<(), rulebound_core::metrics::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// If `known` does not consist of whole rows.
    pub fn with_known(mut self, known: Vec<bool>) -> Result<Self, MetricError> {
        rows(known.len(), self.classes)?;
        let mut has_any = vec![false; self.classes];
        for row in known.chunks_exact(self.classes.max(1)) {
            has_any.iter_mut().zip(row).for_each(|(any, &known)| *any |= known);
        }
        self.counted.retain(|&class| has_any[class]);
        self.known = Some(known);
        Ok(self)
    }

    /// Whether the label of an example is known.
    #[inline(always)]
    pub(super) fn is_known(&self, row: usize, class: usize) -> bool {
        self.known.as_ref().is_none_or(|known| known[row * self.classes + class])
    }

    /// Whether any label may be unknown.
    pub(super) fn has_unknown(&self) -> bool {
        self.known.is_some()
    }

    /// The classes of an example that count and whose labels are known, in ascending order.
    #[inline(always)]
    pub(super) fn known_classes(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.counted.iter().copied().filter(move |&class| self.is_known(row, class))
    }

    /// The number of labels that count and are known, in this many rows.
    pub(super) fn pairs(&self, rows: usize) -> usize {
        match self.known {
            None => rows * self.counted.len(),
            Some(_) => (0..rows).map(|row| self.known_classes(row).count()).sum(),
        }
    }

    /// Fails if what is known is not said for all of `values` labels.
    pub(super) fn expect_size(&self, values: usize) -> Result<(), MetricError> {
        match &self.known {
            Some(known) if known.len() != values => {
                Err(MetricError::Sizes { expected: values, found: known.len() })
            }
            _ => Ok(()),
        }
    }

    /// The same classes where the truth is known or given as true: what follows from other labels.
    pub(super) fn or_known(&self, truth: &[bool]) -> Self {
        let known = self.known.as_ref();
        let known = known.map(|known| known.iter().zip(truth).map(|(&a, &b)| a | b).collect());
        Self { known, ..self.clone() }
    }

    /// The number of classes in a row, whether they count or not.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The classes that count, in ascending order.
    pub fn counted(&self) -> &[usize] {
        &self.counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_classes_count_only_with_all() {
        let (evaluated, truth) = ([true, true, false], [false, true, true, false, false, true]);
        let counted = |labels| Columns::new(&evaluated, &truth, labels).unwrap().counted;
        assert_eq!(counted(LabelsInMetrics::Present), [1]);
        assert_eq!(counted(LabelsInMetrics::All), [0, 1]);
    }

    #[test]
    fn half_rows_are_refused_and_no_rows_are_not() {
        let new = |classes, truth| {
            Columns::new(&vec![true; classes], &vec![true; truth], LabelsInMetrics::Present)
        };
        assert_eq!(new(2, 3), Err(MetricError::Rows { values: 3, classes: 2 }));
        assert_eq!(new(0, 3), Err(MetricError::Rows { values: 3, classes: 0 }));
        assert_eq!(new(2, 0).unwrap().counted(), [0; 0]);
        assert_eq!(new(0, 0).unwrap().classes(), 0);
    }
}
