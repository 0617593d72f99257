//! The classes of each example: one bit per example and class.
//!
//! A row is a sequence of 64-bit words, with class 0 in the lowest bit of the first one. Invariant:
//! the bits past the last class are zero, so that words can be compared and counted as they are.

use rulebound_core::LabelId;

const BITS: usize = u64::BITS as usize;

/// The labels of all examples, row by row.
///
/// ```
/// use rulebound::dataset::LabelMatrix;
/// use rulebound_core::LabelId;
/// let mut labels = LabelMatrix::new(70);
/// let row = labels.push_row();
/// labels.insert(row, LabelId::new(69));
/// assert!(labels.contains(row, LabelId::new(69)));
/// assert_eq!(labels.row(row), [0, 1 << 5]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelMatrix {
    rows: usize,
    classes: usize,
    words: Vec<u64>,
}

impl LabelMatrix {
    /// A matrix of `classes` columns and no rows.
    pub fn new(classes: usize) -> Self {
        Self { rows: 0, classes, words: Vec::new() }
    }

    /// How many examples.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many words a row has.
    pub fn words_per_row(&self) -> usize {
        self.classes.div_ceil(BITS)
    }

    /// Adds an example without any class and returns its row number.
    pub fn push_row(&mut self) -> usize {
        self.words.resize(self.words.len() + self.words_per_row(), 0);
        self.rows += 1;
        self.rows - 1
    }

    /// These rows, in this order.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn selected(&self, rows: &[usize]) -> Self {
        let words = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self { rows: rows.len(), classes: self.classes, words }
    }

    /// Whether the example has the class.
    ///
    /// # Panics
    /// If there is no such row or class.
    pub fn contains(&self, row: usize, class: LabelId) -> bool {
        let (word, bit) = self.place(row, class);
        self.words[word] & bit != 0
    }

    /// Gives the example the class. Returns whether the example did not have it before.
    ///
    /// # Panics
    /// If there is no such row or class.
    pub fn insert(&mut self, row: usize, class: LabelId) -> bool {
        let (word, bit) = self.place(row, class);
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// The words of an example.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[u64] {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        &self.words[row * self.words_per_row()..][..self.words_per_row()]
    }

    /// The classes of an example, in order.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn positives(&self, row: usize) -> impl Iterator<Item = LabelId> + '_ {
        self.row(row).iter().enumerate().flat_map(|(word, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.checked_sub(1)?;
                Some(LabelId::new(word * BITS + bit))
            })
        })
    }

    /// Writes the classes of an example as one `bool` per class.
    ///
    /// # Panics
    /// If there is no such row, or the length of `out` is not the number of classes.
    pub fn unpack(&self, row: usize, out: &mut [bool]) {
        assert_eq!(out.len(), self.classes);
        for (bits, out) in self.row(row).iter().zip(out.chunks_mut(BITS)) {
            for (bit, out) in out.iter_mut().enumerate() {
                *out = bits >> bit & 1 == 1;
            }
        }
    }

    fn place(&self, row: usize, class: LabelId) -> (usize, u64) {
        assert!(row < self.rows && class.index() < self.classes, "row {row}, class {class:?}");
        (row * self.words_per_row() + class.index() / BITS, 1 << (class.index() % BITS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        for classes in [0, 1, 63, 64, 65, 200] {
            let mut labels = LabelMatrix::new(classes);
            labels.push_row();
            let row = labels.push_row();
            let chosen: Vec<_> = (0..classes).filter(|c| c % 3 == 0).map(LabelId::new).collect();
            for &class in chosen.iter().rev() {
                assert!(labels.insert(row, class));
                assert!(!labels.insert(row, class));
            }
            assert_eq!(labels.positives(row).collect::<Vec<_>>(), chosen);
            assert_eq!(labels.positives(0).count(), 0);
            let mut bools = vec![true; classes];
            labels.unpack(row, &mut bools);
            let back = (0..classes).filter(|&c| bools[c]).map(LabelId::new);
            assert!(back.eq(chosen));
        }
    }
}
