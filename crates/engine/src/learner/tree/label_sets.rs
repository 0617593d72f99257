//! The distinct label sets of the rows.

use std::collections::HashMap;

use crate::completion::Completion;
use crate::learner::rows::FitRows;

/// Sets of classes, each of them ascending.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::learner) struct LabelSets {
    ends: Vec<u32>,
    classes: Vec<u32>,
}

/// The number of the label set of each row.
pub(in crate::learner) type SetNumbers = Vec<u32>;

impl LabelSets {
    /// The label sets of the rows in order of their first row, and which of them each row has.
    /// Where the rules are a hierarchy, they are closed: a row has the ancestors of its classes.
    pub(in crate::learner) fn new(rows: &FitRows<'_>) -> (Self, SetNumbers) {
        let mut completion = rows.program().is_hierarchy().then(|| Completion::new(rows.program()));
        let mut numbers = HashMap::new();
        let mut sets = Self::default();
        let mut holds = vec![false; rows.classes()];
        let of_rows = (0..rows.rows()).map(|row| {
            rows.labels().unpack(row, &mut holds);
            if let Some(completion) = &mut completion {
                completion.complete(&mut holds);
            }
            let set: Vec<u32> =
                (0..).zip(&holds).filter(|(_, holds)| **holds).map(|(class, _)| class).collect();
            *numbers.entry(set).or_insert_with_key(|set| {
                sets.push(set);
                sets.len() as u32 - 1
            })
        });
        let of_rows = of_rows.collect();
        (sets, of_rows)
    }

    /// Adds a set of ascending classes.
    fn push(&mut self, set: &[u32]) {
        self.classes.extend_from_slice(set);
        self.ends.push(self.classes.len() as u32);
    }

    /// Sets from where each ends among `classes`.
    ///
    /// # Errors
    /// A sentence about what is wrong.
    pub(super) fn from_parts(
        ends: Vec<u32>,
        classes: Vec<u32>,
        count: usize,
    ) -> Result<Self, String> {
        if !ends.is_sorted() || ends.last().copied().unwrap_or(0) as usize != classes.len() {
            return Err("the ends of the label sets do not fit their classes".to_owned());
        }
        let sets = Self { ends, classes };
        for set in 0..sets.len() {
            let set = sets.set(set as u32);
            if !set.is_sorted_by(|a, b| a < b) || set.iter().any(|&class| class as usize >= count) {
                return Err("the classes of a label set are not ascending class numbers".to_owned());
            }
        }
        Ok(sets)
    }

    /// Where each set ends, and all classes.
    pub(super) fn parts(&self) -> (&[u32], &[u32]) {
        (&self.ends, &self.classes)
    }

    /// How many there are.
    pub(in crate::learner) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The classes of a set.
    ///
    /// # Panics
    /// If there is no such set.
    pub(in crate::learner) fn set(&self, set: u32) -> &[u32] {
        let set = set as usize;
        let first = if set == 0 { 0 } else { self.ends[set - 1] };
        &self.classes[first as usize..self.ends[set] as usize]
    }
}
