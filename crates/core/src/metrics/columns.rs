//! Which classes count: a root of a hierarchy does not, and a class that no example has may not.

use std::fmt;
use std::str::FromStr;

use super::error::{MetricError, rows};

/// Whether classes that no example has count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LabelsInMetrics {
    /// Only classes that at least one example has.
    #[default]
    Present,
    /// Every class that is evaluated.
    All,
}

impl LabelsInMetrics {
    /// Its name: `present` or `all`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::All => "all",
        }
    }
}

impl fmt::Display for LabelsInMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is neither `present` nor `all`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no choice {0:?}; it is `present` or `all`")]
pub struct UnknownLabels(pub String);

impl FromStr for LabelsInMetrics {
    type Err = UnknownLabels;

    fn from_str(name: &str) -> Result<Self, UnknownLabels> {
        [Self::Present, Self::All]
            .into_iter()
            .find(|choice| choice.name() == name)
            .ok_or_else(|| UnknownLabels(name.to_owned()))
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

    /// The classes whose place in `evaluated` is true.
    pub fn evaluated(evaluated: &[bool]) -> Self {
        let counted = (0..evaluated.len()).filter(|&class| evaluated[class]).collect();
        Self { classes: evaluated.len(), counted }
    }

    /// The classes whose place in `evaluated` is true and, if so chosen, that at least one row of
    /// `truth`, row-major `[rows × classes]`, has.
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
    /// If `truth` is not made of whole rows.
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

    /// How many classes a row has, whether they count or not.
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

    #[test]
    fn choices_have_names() {
        for choice in [LabelsInMetrics::Present, LabelsInMetrics::All] {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        assert!("some".parse::<LabelsInMetrics>().is_err());
    }
}
