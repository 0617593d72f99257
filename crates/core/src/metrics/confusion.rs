//! Decisions compared with the truth, counted once for all metrics of decisions.

use super::columns::Columns;
use super::error::{MetricError, rows};

/// How often decisions agree with the truth and how often they do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Predicted and true.
    pub true_positives: u64,
    /// Predicted and not true.
    pub false_positives: u64,
    /// True and not predicted.
    pub false_negatives: u64,
}

impl Counts {
    /// How often the class is true: TP + FN.
    pub fn support(self) -> u64 {
        self.true_positives + self.false_negatives
    }

    /// How often the class is predicted: TP + FP.
    pub fn predicted(self) -> u64 {
        self.true_positives + self.false_positives
    }

    /// TP / (TP + FP); 0 where nothing is predicted, as in scikit-learn with `zero_division=0`.
    pub fn precision(self) -> f64 {
        share(self.true_positives, self.predicted())
    }

    /// TP / (TP + FN); 0 where nothing is true, as in scikit-learn with `zero_division=0`.
    pub fn recall(self) -> f64 {
        share(self.true_positives, self.support())
    }

    /// 2·TP / (2·TP + FP + FN); 0 where nothing is predicted and nothing is true, as in
    /// scikit-learn with `zero_division=0`.
    pub fn f1(self) -> f64 {
        let twice = 2 * self.true_positives;
        share(twice, twice + self.false_positives + self.false_negatives)
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.true_positives += other.true_positives;
        self.false_positives += other.false_positives;
        self.false_negatives += other.false_negatives;
    }
}

/// A part of a whole; 0 where there is no whole.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// True and false positives and negatives of every class that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confusion {
    /// In the order of the classes that count.
    per_class: Vec<Counts>,
    pairs: usize,
}

impl Confusion {
    /// Counts decisions against truth, both row-major `[rows × classes]`.
    ///
    /// # Errors
    /// If the sizes do not match.
    pub fn new(decisions: &[bool], truth: &[bool], columns: &Columns) -> Result<Self, MetricError> {
        if decisions.len() != truth.len() {
            return Err(MetricError::Sizes { expected: truth.len(), found: decisions.len() });
        }
        let classes = columns.classes();
        let rows = rows(truth.len(), classes)?;
        columns.expect_size(truth.len())?;
        let mut per_class = vec![Counts::default(); columns.counted().len()];
        let both = decisions.chunks_exact(classes.max(1)).zip(truth.chunks_exact(classes.max(1)));
        for (row, (decisions, truth)) in both.enumerate() {
            for (counts, &class) in per_class.iter_mut().zip(columns.counted()) {
                if !columns.is_known(row, class) {
                    continue;
                }
                let (predicted, is_true) = (decisions[class], truth[class]);
                counts.true_positives += u64::from(predicted & is_true);
                counts.false_positives += u64::from(predicted & !is_true);
                counts.false_negatives += u64::from(!predicted & is_true);
            }
        }
        Ok(Self { per_class, pairs: columns.pairs(rows) })
    }

    /// Of counts that were made elsewhere, over so many pairs.
    pub(super) fn from_counts(per_class: Vec<Counts>, pairs: usize) -> Self {
        Self { per_class, pairs }
    }

    /// The counts of each class that counts, in order.
    pub fn per_class(&self) -> &[Counts] {
        &self.per_class
    }

    /// The counts of all classes together; `None` without a row or a class that counts.
    pub fn total(&self) -> Option<Counts> {
        let sum = |of: fn(&Counts) -> u64| self.per_class.iter().map(of).sum();
        (self.pairs() > 0).then(|| Counts {
            true_positives: sum(|counts| counts.true_positives),
            false_positives: sum(|counts| counts.false_positives),
            false_negatives: sum(|counts| counts.false_negatives),
        })
    }

    /// The number of pairs of example and class whose label is known.
    pub fn pairs(&self) -> u64 {
        self.pairs as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_is_counted_by_itself() {
        let decisions = [true, true, false, false, true, true];
        let truth = [true, false, true, true, true, true];
        let columns = Columns::evaluated(&[true, true, false]);
        let confusion = Confusion::new(&decisions, &truth, &columns).unwrap();
        let counts = |true_positives, false_positives, false_negatives| Counts {
            true_positives,
            false_positives,
            false_negatives,
        };
        assert_eq!(confusion.per_class(), [counts(1, 0, 1), counts(1, 1, 0)]);
        assert_eq!(confusion.total(), Some(counts(2, 1, 1)));
        assert_eq!(confusion.pairs(), 4);
    }

    #[test]
    fn sizes_must_fit() {
        let columns = Columns::all(2);
        let new = |decisions, truth| {
            Confusion::new(&vec![true; decisions], &vec![true; truth], &columns).err()
        };
        assert_eq!(new(2, 4), Some(MetricError::Sizes { expected: 4, found: 2 }));
        assert_eq!(new(3, 3), Some(MetricError::Rows { values: 3, classes: 2 }));
        assert_eq!(new(0, 0), None);
    }
}
