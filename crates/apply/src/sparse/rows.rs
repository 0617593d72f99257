//! Many rows of listed scores, one after the other in memory.

use rayon::prelude::*;
use rulebound_core::{Delegate, FloatMargin};

use super::applier::{SparseApplier, SparseScratch};
use super::error::SparseApplyError;

/// Rows that a thread takes at once, at least.
const ROWS: usize = 256;

/// Rows of listed scores: those of row `r` are at `offsets[r]..offsets[r + 1]`.
#[derive(Clone, Copy, Debug)]
pub struct ScoreLists<'a, F> {
    offsets: &'a [i64],
    classes: &'a [i64],
    scores: &'a [F],
}

/// Coherent rows, laid out like [`ScoreLists`], each in the order of the classes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CoherentLists<F> {
    /// Where each row starts, and where the last one ends.
    pub offsets: Vec<i64>,
    /// The classes.
    pub classes: Vec<i64>,
    /// Their coherent scores.
    pub scores: Vec<F>,
    /// What decided each; empty if that was not asked for.
    pub delegates: Vec<Delegate>,
}

impl<'a, F: FloatMargin> ScoreLists<'a, F> {
    /// Rows by their offsets, one more than there are rows.
    ///
    /// # Errors
    /// If the offsets do not rise from 0 to the number of scores, or there is not one class for each score.
    pub fn new(
        offsets: &'a [i64],
        classes: &'a [i64],
        scores: &'a [F],
    ) -> Result<Self, SparseApplyError> {
        if classes.len() != scores.len() {
            let (classes, scores) = (classes.len(), scores.len());
            return Err(SparseApplyError::Sizes { classes, scores });
        }
        let bad = |place: usize| {
            let found = offsets.get(place).copied().unwrap_or(0);
            SparseApplyError::Offsets { place, found, scores: scores.len() }
        };
        if offsets.first() != Some(&0) {
            return Err(bad(0));
        }
        if let Some(place) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            return Err(bad(place + 1));
        }
        if offsets.last() != Some(&(scores.len() as i64)) {
            return Err(bad(offsets.len() - 1));
        }
        Ok(Self { offsets, classes, scores })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }
}

impl SparseApplier<'_> {
    /// Coherent rows, on the threads of the current pool if there are many.
    ///
    /// # Errors
    /// The first row that cannot be made coherent.
    pub fn apply<F: FloatMargin>(
        &self,
        lists: ScoreLists<'_, F>,
        with_delegates: bool,
    ) -> Result<CoherentLists<F>, SparseApplyError> {
        let rows = lists.rows();
        let share = rows.div_ceil(4 * rayon::current_num_threads()).max(ROWS);
        if rows <= share {
            let scratch = &mut self.scratch();
            return self.apply_share(lists, 0..rows, with_delegates, scratch);
        }
        let starts: Vec<usize> = (0..rows).step_by(share).collect();
        let shares: Vec<Result<CoherentLists<F>, SparseApplyError>> = starts
            .par_iter()
            .map_init(
                || self.scratch(),
                |scratch, &start| {
                    let rows = start..rows.min(start + share);
                    self.apply_share(lists, rows, with_delegates, scratch)
                },
            )
            .collect();
        let mut all = CoherentLists { offsets: vec![0], ..CoherentLists::default() };
        for share in shares {
            let share = share?;
            let start = all.classes.len() as i64;
            all.offsets.extend(share.offsets[1..].iter().map(|offset| start + offset));
            all.classes.extend(share.classes);
            all.scores.extend(share.scores);
            all.delegates.extend(share.delegates);
        }
        Ok(all)
    }

    fn apply_share<F: FloatMargin>(
        &self,
        lists: ScoreLists<'_, F>,
        rows: std::ops::Range<usize>,
        with_delegates: bool,
        scratch: &mut SparseScratch,
    ) -> Result<CoherentLists<F>, SparseApplyError> {
        let mut found = CoherentLists { offsets: vec![0], ..CoherentLists::default() };
        for row in rows {
            let at = lists.offsets[row] as usize..lists.offsets[row + 1] as usize;
            // A negative class becomes one that does not exist.
            let classes = lists.classes[at.clone()].iter().map(|&class| class as usize);
            let listed = classes.zip(lists.scores[at].iter().map(|score| score.to_f64()));
            let coherent = self
                .apply_row(listed, scratch)
                .map_err(|source| SparseApplyError::Row { row, source })?;
            for one in coherent {
                found.classes.push(one.label.index() as i64);
                found.scores.push(F::from_f64(one.score));
            }
            if with_delegates {
                found.delegates.extend(coherent.iter().map(|one| one.delegate));
            }
            found.offsets.push(found.classes.len() as i64);
        }
        Ok(found)
    }
}
