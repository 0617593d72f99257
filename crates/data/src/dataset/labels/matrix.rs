//! The classes of each example: one bit per example and class, and a second one where labels are not
//! known.
//!
//! A row is a sequence of 64-bit words, with class 0 in the lowest bit of the first one. Invariant:
//! the bits past the last class are zero, so that words can be compared and counted as they are; a
//! label that is not known is not true.

use rulebound_core::LabelId;

const BITS: usize = u64::BITS as usize;

/// The labels of all examples, row by row.
///
/// ```
/// use rulebound_data::dataset::LabelMatrix;
/// use rulebound_core::LabelId;
/// let mut labels = LabelMatrix::new(70);
/// let row = labels.push_row();
/// labels.insert(row, LabelId::new(69));
/// assert!(labels.contains(row, LabelId::new(69)));
/// assert_eq!(labels.row(row), [0, 1 << 5]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct LabelMatrix {
    rows: usize,
    classes: usize,
    words: Vec<u64>,
    /// The labels that are not known, as the others are kept; empty if all are known.
    unknown: Vec<u64>,
}

impl LabelMatrix {
    /// A matrix of `classes` columns and no rows.
    pub fn new(classes: usize) -> Self {
        Self { rows: 0, classes, words: Vec::new(), unknown: Vec::new() }
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

    /// The bytes of all labels.
    pub fn bytes(&self) -> u64 {
        8 * (self.words.len() + self.unknown.len()) as u64
    }

    /// Adds an example without any class and returns its row number.
    pub fn push_row(&mut self) -> usize {
        self.words.resize(self.words.len() + self.words_per_row(), 0);
        if !self.unknown.is_empty() {
            self.unknown.resize(self.words.len(), 0);
        }
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
        let unknown = rows.iter().flat_map(|&row| self.unknown_row(row)).copied().collect();
        Self { rows: rows.len(), classes: self.classes, words, unknown }
    }

    /// The same rows with `classes` other columns: each class is where `place` says, or nowhere.
    ///
    /// # Panics
    /// If a place is not one of the columns.
    #[must_use]
    pub fn mapped(&self, classes: usize, place: impl Fn(LabelId) -> Option<LabelId>) -> Self {
        let mut mapped = Self::new(classes);
        for row in 0..self.rows {
            mapped.push_row();
            self.positives(row).filter_map(&place).for_each(|class| {
                mapped.insert(row, class);
            });
            self.unknown(row).filter_map(&place).for_each(|class| mapped.set_unknown(row, class));
        }
        mapped
    }

    /// Whether the example has the class.
    ///
    /// # Panics
    /// If there is no such row or class.
    pub fn contains(&self, row: usize, class: LabelId) -> bool {
        let (word, bit) = self.place(row, class);
        self.words[word] & bit != 0
    }

    /// Gives the example the class, which is then known. Returns whether the example did not have it
    /// before.
    ///
    /// # Panics
    /// If there is no such row or class.
    pub fn insert(&mut self, row: usize, class: LabelId) -> bool {
        let (word, bit) = self.place(row, class);
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        if let Some(unknown) = self.unknown.get_mut(word) {
            *unknown &= !bit;
        }
        is_new
    }

    /// Makes the label of the example one that is not known: neither true nor false.
    ///
    /// # Panics
    /// If there is no such row or class.
    pub fn set_unknown(&mut self, row: usize, class: LabelId) {
        let (word, bit) = self.place(row, class);
        self.unknown.resize(self.words.len(), 0);
        self.unknown[word] |= bit;
        self.words[word] &= !bit;
    }

    /// Whether it is known if the example has the class.
    ///
    /// # Panics
    /// If there is no such row or class.
    pub fn is_known(&self, row: usize, class: LabelId) -> bool {
        let (word, bit) = self.place(row, class);
        self.unknown.get(word).is_none_or(|unknown| unknown & bit == 0)
    }

    /// How many labels are not known.
    pub fn unknown_cells(&self) -> usize {
        self.unknown.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The classes of which it is not known if the example has them, in order.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn unknown(&self, row: usize) -> impl Iterator<Item = LabelId> + '_ {
        ids(self.unknown_row(row))
    }

    /// Writes which labels of an example are known, one `bool` per class. Returns whether all are.
    ///
    /// # Panics
    /// If there is no such row, or the length of `out` is not the number of classes.
    pub fn unpack_known(&self, row: usize, out: &mut [bool]) -> bool {
        assert_eq!(out.len(), self.classes);
        out.fill(true);
        self.unknown(row).for_each(|class| out[class.index()] = false);
        !out.contains(&false)
    }

    /// Which labels of these rows are known, row-major; none if all are.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn known(&self, rows: impl ExactSizeIterator<Item = usize>) -> Option<Vec<bool>> {
        let mut known = vec![true; rows.len() * self.classes];
        for (place, row) in rows.enumerate() {
            let start = place * self.classes;
            self.unknown(row).for_each(|class| known[start + class.index()] = false);
        }
        known.contains(&false).then_some(known)
    }

    /// The unknown labels of an example; empty if all labels of all examples are known.
    pub(crate) fn unknown_row(&self, row: usize) -> &[u64] {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        match self.unknown.is_empty() {
            true => &[],
            false => &self.unknown[row * self.words_per_row()..][..self.words_per_row()],
        }
    }

    /// The words of an example.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[u64] {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        &self.words[row * self.words_per_row()..][..self.words_per_row()]
    }

    /// For each class, whether one of these rows has it and one does not.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn varying(&self, rows: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let (mut has, mut lacks) =
            (vec![0u64; self.words_per_row()], vec![0; self.words_per_row()]);
        for row in rows {
            let unknown = self.unknown_row(row);
            for (at, &word) in self.row(row).iter().enumerate() {
                has[at] |= word;
                lacks[at] |= !word & !unknown.get(at).copied().unwrap_or(0);
            }
        }
        let both =
            |class: usize| (has[class / BITS] & lacks[class / BITS]) >> (class % BITS) & 1 == 1;
        (0..self.classes).map(both).collect()
    }

    /// The classes of an example, in order.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn positives(&self, row: usize) -> impl Iterator<Item = LabelId> + '_ {
        ids(self.row(row))
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

/// Equal labels, known and unknown alike.
impl PartialEq for LabelMatrix {
    fn eq(&self, other: &Self) -> bool {
        let same_unknown = match (self.unknown.is_empty(), other.unknown.is_empty()) {
            (false, false) => self.unknown == other.unknown,
            _ => self.unknown_cells() == other.unknown_cells(),
        };
        let shape = |of: &Self| (of.rows, of.classes);
        shape(self) == shape(other) && self.words == other.words && same_unknown
    }
}

impl Eq for LabelMatrix {}

/// The classes whose bits are set, in order.
fn ids(words: &[u64]) -> impl Iterator<Item = LabelId> + '_ {
    words.iter().enumerate().flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            left &= left.checked_sub(1)?;
            Some(LabelId::new(word * BITS + bit))
        })
    })
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

    #[test]
    fn a_class_varies_if_a_row_has_it_and_another_is_known_not_to() {
        let mut labels = LabelMatrix::new(70);
        (0..3).for_each(|_| {
            labels.push_row();
        });
        (0..3).for_each(|row| {
            labels.insert(row, LabelId::new(0));
        });
        labels.insert(1, LabelId::new(66));
        labels.insert(0, LabelId::new(67));
        labels.insert(1, LabelId::new(67));
        labels.set_unknown(2, LabelId::new(67));
        let varying = |rows: &[usize]| -> Vec<usize> {
            let varying = labels.varying(rows.iter().copied());
            (0..70).filter(|&class| varying[class]).collect()
        };
        assert_eq!(varying(&[0, 1, 2]), [66]);
        assert_eq!(varying(&[0, 2]), [0; 0]);
        assert_eq!(varying(&[]), [0; 0]);
    }

    #[test]
    fn unknown_label_cells_are_neither_true_nor_false() {
        let classes = 70;
        let (first, last) = (LabelId::new(0), LabelId::new(69));
        let mut labels = LabelMatrix::new(classes);
        labels.push_row();
        labels.insert(0, last);
        let known = labels.clone();
        labels.set_unknown(0, last);
        assert!(!labels.contains(0, last) && !labels.is_known(0, last) && labels != known);
        // Rows after the first unknown label are known, unless it is said that they are not.
        let row = labels.push_row();
        labels.insert(row, first);
        assert!(labels.is_known(row, last) && labels.is_known(row, first));
        assert_eq!(
            (labels.unknown_cells(), labels.unknown(0).collect::<Vec<_>>()),
            (1, vec![last])
        );
        let mut marks = vec![false; classes];
        assert!(!labels.unpack_known(0, &mut marks) && marks[0] && !marks[69]);
        assert!(labels.unpack_known(row, &mut marks));
        assert_eq!(labels.known([row].into_iter()), None);
        assert_eq!(labels.known([row, 0].into_iter()).map(|known| known[70 + 69]), Some(false));
        // Kept in another order, and in other columns.
        let turned = labels.selected(&[row, 0]);
        assert!(turned.is_known(0, last) && !turned.is_known(1, last));
        let only = labels.mapped(1, |class| (class == last).then_some(first));
        assert_eq!(only.unknown(0).collect::<Vec<_>>(), [first]);
        assert_eq!(labels.selected(&[row]), labels.mapped(70, Some).selected(&[row]));
        // Being given the class makes it known, and all known is all known.
        labels.insert(0, last);
        assert_eq!(labels.selected(&[0]), known);
    }
}
