//! Which classes count in metrics: the root of a hierarchy does not, and a class without a positive
//! example need not.

use super::error::{MetricError, rows};

crate::named_enum! {
    /// Whether classes without a positive example count.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum LabelsInMetrics: "a choice of classes" {
        /// Only classes with at least one positive example.
        #[default]
        Present = "present",
        /// Every class that is evaluated.
        All = "all",
    }
}

/// The classes that count, out of the classes there are.
///
/// Invariant: the classes that count are in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Columns {
    classes: usize,
    counted: Vec<usize>,
}

impl Columns {
    /// All of `classes` classes.
    pub fn all(classes: usize) -> Self {
        Self { classes, counted: (0..classes).collect() }
    }

    /// The classes that are true in `evaluated`.
    pub fn evaluated(evaluated: &[bool]) -> Self {
        let counted = (0..evaluated.len()).filter(|&class| evaluated[class]).collect();
        Self { classes: evaluated.len(), counted }
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
