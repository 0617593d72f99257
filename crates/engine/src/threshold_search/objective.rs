//! What thresholds are chosen for.

use crate::labelled_scores::LabelledScores;
use rulebound_core::metrics::Counts;

/// What wrong decisions about a class cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClassCosts {
    /// The cost of a class that is predicted and not true.
    pub false_positive: f64,
    /// The cost of a class that is true and not predicted.
    pub false_negative: f64,
}

/// What is to be as high as possible.
#[derive(Clone, PartialEq, Debug)]
pub enum Objective {
    /// The mean of F1 over the classes.
    MacroF1,
    /// F1 of all pairs of row and class.
    MicroF1,
    /// The mean of recall over the classes, each with at least this precision where it can be had; a
    /// class that is never predicted has it.
    MinPrecision(f64),
    /// The sum of all costs, as low as possible; one entry for each class.
    Costs(Vec<ClassCosts>),
}

impl Objective {
    /// What one class contributes; nothing to what is not a sum over the classes.
    pub(super) fn of_class(&self, class: usize, counts: Counts) -> f64 {
        match self {
            Self::MacroF1 => counts.f1(),
            Self::MicroF1 => 0.0,
            Self::MinPrecision(least) => {
                let precision = counts.precision();
                match counts.predicted() == 0 || precision >= *least {
                    true => counts.recall(),
                    // Any class that keeps the floor is worth more than one that does not.
                    false => precision - least - 1.0,
                }
            }
            Self::Costs(costs) => {
                let ClassCosts { false_positive, false_negative } = costs[class];
                -(false_positive * counts.false_positives as f64
                    + false_negative * counts.false_negatives as f64)
            }
        }
    }

    /// Its value for the counts of all classes that are evaluated, in order.
    pub(super) fn value(&self, rows: &LabelledScores<'_>, counts: &[Counts]) -> f64 {
        if *self == Self::MicroF1 {
            return total(counts).f1();
        }
        let classes = rows.evaluated_classes().zip(counts);
        classes.map(|(class, counts)| self.of_class(class, *counts)).sum()
    }
}

/// All counts together.
pub(super) fn total(counts: &[Counts]) -> Counts {
    counts.iter().fold(Counts::default(), |sum, counts| Counts {
        true_positives: sum.true_positives + counts.true_positives,
        false_positives: sum.false_positives + counts.false_positives,
        false_negatives: sum.false_negatives + counts.false_negatives,
    })
}
