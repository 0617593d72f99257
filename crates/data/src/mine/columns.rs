//! The label matrix transposed: one set of rows per label.

use std::ops::Range;

use rulebound_core::{LabelId, Literal};

use crate::dataset::LabelMatrix;

const BITS: usize = u64::BITS as usize;

/// For every label the rows that have it, as bits. Invariant: the bits past the last row are zero.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    rows: usize,
    labels: usize,
    words: Vec<u64>,
}

impl Columns {
    /// The columns of a range of rows, which are numbered from 0 here.
    pub(super) fn new(matrix: &LabelMatrix, rows: Range<usize>) -> Self {
        let (labels, count) = (matrix.classes(), rows.len());
        let width = count.div_ceil(BITS);
        let mut words = vec![0; labels * width];
        for (place, row) in rows.enumerate() {
            for label in matrix.positives(row) {
                words[label.index() * width + place / BITS] |= 1 << (place % BITS);
            }
        }
        Self { rows: count, labels, words }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn labels(&self) -> impl ExactSizeIterator<Item = LabelId> + use<> {
        (0..self.labels).map(LabelId::new)
    }

    /// The number of words per column.
    pub(super) fn width(&self) -> usize {
        self.rows.div_ceil(BITS)
    }

    /// The rows that have a label.
    pub(super) fn column(&self, label: LabelId) -> &[u64] {
        &self.words[label.index() * self.width()..][..self.width()]
    }

    /// The mask to xor a word of a column with to get the rows in which the literal holds. For a
    /// negated literal the bits past the last row are then wrong, so the result must be `and`ed
    /// with a row set.
    pub(super) fn flip(literal: Literal) -> u64 {
        if literal.is_negated() { u64::MAX } else { 0 }
    }

    /// The set of all rows.
    pub(super) fn all_rows(&self) -> impl Iterator<Item = u64> + use<> {
        let (full, left) = (self.rows / BITS, self.rows % BITS);
        let last = (left > 0).then(|| (1 << left) - 1);
        std::iter::repeat_n(u64::MAX, full).chain(last)
    }

    /// The rows that do not have a label.
    pub(super) fn complement(&self, label: LabelId) -> impl Iterator<Item = u64> {
        self.column(label).iter().zip(self.all_rows()).map(|(column, rows)| !column & rows)
    }
}
