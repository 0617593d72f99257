//! A batch in memory, taken apart into rows that fit into a cache.

use rayon::prelude::*;
use rulebound_core::{Delegate, LayerError};

use super::batch_error::BatchError;

/// About how many cells are worked on at once by a thread.
const CELLS: usize = 1 << 15;

/// Rows come in multiples of what the layer takes side by side.
const ROWS: usize = 16;

/// How many shares a thread gets, so that one that is held up does not hold up the others.
const SHARES: usize = 4;

/// Consecutive rows of a batch, and what they become; what is not asked for is empty.
#[derive(Debug)]
pub(super) struct Part<'a, F> {
    pub(super) first_row: usize,
    pub(super) scores: &'a [F],
    pub(super) coherent: &'a mut [F],
    pub(super) decisions: &'a mut [bool],
    pub(super) delegates: &'a mut [Delegate],
}

impl<F: Sync + Send> Part<'_, F> {
    /// Runs all parts of a batch, this one, on several threads if there are several parts. Each share of the
    /// parts has a state of its own. The error is that of the first row that has one.
    pub(super) fn run_all<S>(
        self,
        classes: usize,
        new: impl Fn() -> S + Sync,
        run: impl Fn(&mut S, &mut Part<'_, F>) -> Result<(), BatchError> + Sync,
    ) -> Result<(), BatchError> {
        let mut parts = self.split(classes)?;
        if let [part] = &mut parts[..] {
            return run(&mut new(), part);
        }
        if parts.is_empty() {
            return Ok(());
        }
        let share = parts.len().div_ceil(SHARES * rayon::current_num_threads());
        let errors = parts.par_chunks_mut(share).filter_map(|parts| {
            let mut state = new();
            parts.iter_mut().find_map(|part| run(&mut state, part).err())
        });
        errors.min_by_key(BatchError::row).map_or(Ok(()), Err)
    }

    fn split(self, classes: usize) -> Result<Vec<Self>, LayerError> {
        let Self { scores, coherent, mut decisions, mut delegates, .. } = self;
        if scores.is_empty() {
            return Ok(Vec::new());
        }
        if !scores.len().is_multiple_of(classes.max(1)) || classes == 0 {
            let expected = format!("a multiple of {classes}, the number of classes");
            let (buffer, found) = ("the batch of scores", scores.len());
            return Err(LayerError::Shape { buffer, expected, found });
        }
        let rows = (CELLS / classes).next_multiple_of(ROWS).max(ROWS);
        let size = rows * classes;
        // Taken apart by hand: what is not asked for has no parts.
        let mut parts = Vec::with_capacity(scores.len().div_ceil(size));
        for (at, (scores, coherent)) in
            scores.chunks(size).zip(coherent.chunks_mut(size)).enumerate()
        {
            let (decided, rest) = decisions.split_at_mut(scores.len().min(decisions.len()));
            decisions = rest;
            let (by, rest) = delegates.split_at_mut(scores.len().min(delegates.len()));
            delegates = rest;
            let first_row = at * rows;
            parts.push(Part { first_row, scores, coherent, decisions: decided, delegates: by });
        }
        Ok(parts)
    }
}
