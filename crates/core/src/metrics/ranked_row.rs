//! One example with its classes in the order of their scores, sorted once for all metrics.

use super::staircase::{Staircase, Step};

/// The classes of one example, ranked.
#[derive(Default, Debug)]
pub(super) struct RankedRow {
    /// From the highest score of a positive down.
    pub(super) steps: Vec<Step>,
    /// Classes that are true.
    pub(super) positives: usize,
    /// Classes that are not.
    pub(super) negatives: usize,
    /// Whether the first of the classes with the highest score is true.
    pub(super) top_is_true: bool,
}

impl RankedRow {
    /// Ranks the next example, given as key and truth of each class.
    pub(super) fn fill<K: Ord + Copy + Default>(
        &mut self,
        pairs: impl Iterator<Item = (K, bool)>,
        staircase: &mut Staircase<K>,
    ) {
        staircase.clear();
        let mut top = None;
        self.top_is_true = false;
        for (key, is_true) in pairs {
            // Only a strictly higher score takes the place of the first one.
            if top.is_none_or(|top| key > top) {
                top = Some(key);
                self.top_is_true = is_true;
            }
            staircase.push(key, is_true);
        }
        self.positives = staircase.positives();
        self.negatives = staircase.negatives();
        self.steps.clear();
        self.steps.extend(staircase.steps());
    }

    /// How many classes there are.
    pub(super) fn classes(&self) -> usize {
        self.positives + self.negatives
    }

    /// Whether all classes are true, or none is: then any order is right.
    pub(super) fn is_one_sided(&self) -> bool {
        self.positives == 0 || self.negatives == 0
    }
}
