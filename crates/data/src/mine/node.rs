//! A body in the search for rules with one head: where it holds, and what each of its literals
//! contributes.
//!
//! A *hit* is a row of the body that has the head, a *miss* one that does not. A miss of the empty
//! body is *critical* for a literal if that literal alone excludes it from the body. Invariant:
//! every literal of a body has a critical miss. Without one it could be dropped, and the body would
//! have the same misses and no fewer hits; and a longer body never has more critical misses, so
//! such a body and all its extensions can be dropped without loss.

use rulebound_core::{LabelId, Literal};

use super::columns::Columns;
use super::row_set;

/// Which literals of a label may still be added to a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) label: LabelId,
    pub(super) positive: bool,
    pub(super) negative: bool,
}

/// A body that does not reach the confidence for the head.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) body: Vec<Literal>,
    pub(super) hits: u32,
    pub(super) misses: u32,
    pub(super) open: Vec<Open>,
    /// Hits, misses, then the critical misses of every literal, each as long as a column.
    sets: Vec<u64>,
    width: usize,
}

impl Node {
    /// The empty body.
    pub(super) fn root(columns: &Columns, head: LabelId, negation: bool) -> Self {
        let mut sets = columns.column(head).to_vec();
        sets.extend(columns.complement(head));
        let width = columns.width();
        let open = columns.labels().filter(|label| *label != head);
        Self {
            body: Vec::new(),
            hits: row_set::count(&sets[..width]),
            misses: row_set::count(&sets[width..]),
            open: open.map(|label| Open { label, positive: true, negative: negation }).collect(),
            sets,
            width,
        }
    }

    pub(super) fn hit_rows(&self) -> &[u64] {
        &self.sets[..self.width]
    }

    pub(super) fn miss_rows(&self) -> &[u64] {
        &self.sets[self.width..2 * self.width]
    }

    fn critical(&self) -> impl Iterator<Item = &[u64]> {
        // In a table without rows the sets have no words.
        self.sets[2 * self.width..].chunks_exact(self.width.max(1))
    }

    /// Whether every literal keeps a critical miss when `literal`, which has one, is added.
    pub(super) fn stays_critical(&self, columns: &Columns, literal: Literal) -> bool {
        let (column, flip) = (columns.column(literal.label()), Columns::flip(literal));
        self.critical().all(|set| row_set::meets(set, column, flip))
    }

    /// The body with one more literal, if every literal then has a critical miss. The caller sets
    /// hits, misses and what is open.
    #[inline(always)]
    pub(super) fn child(&self, columns: &Columns, literal: Literal) -> Option<Self> {
        let (column, flip) = (columns.column(literal.label()), Columns::flip(literal));
        let mut sets = Vec::with_capacity(self.sets.len() + self.width);
        row_set::push_shared(self.hit_rows(), column, flip, &mut sets);
        row_set::push_shared(self.miss_rows(), column, flip, &mut sets);
        let all_kept =
            self.critical().all(|set| row_set::push_shared(set, column, flip, &mut sets));
        if !all_kept || !row_set::push_shared(self.miss_rows(), column, !flip, &mut sets) {
            return None;
        }
        let mut body = Vec::with_capacity(self.body.len() + 1);
        body.extend_from_slice(&self.body);
        body.push(literal);
        Some(Self { body, hits: 0, misses: 0, open: Vec::new(), sets, width: self.width })
    }
}
