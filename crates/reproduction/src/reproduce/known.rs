//! What is done already.

use std::collections::HashSet;

use super::plan::{Batch, Plan};
use super::row::{ENSEMBLE, Row, Seeds};

/// Which results there are.
#[derive(Clone, Debug)]
pub struct Known(HashSet<(String, String, Seeds, String)>);

impl Known {
    /// Those of some rows.
    pub fn of(rows: &[Row]) -> Self {
        let key =
            |row: &Row| (row.set.clone(), row.method.clone(), row.seeds, row.configuration.clone());
        Self(rows.iter().map(key).collect())
    }

    /// Whether a network of the batch, or all of them, has its row.
    pub(super) fn has(&self, batch: &Batch, method: &str, seeds: Seeds) -> bool {
        let (set, digest) = (batch.subject.to_string(), batch.digest());
        self.0.contains(&(set, method.to_owned(), seeds, digest))
    }

    /// Whether every network has its row, and all of them together have theirs.
    pub fn has_all(&self, batch: &Batch) -> bool {
        let method = batch.method().name();
        let has_ensemble = batch.configuration.members == 1
            || self.has(batch, &format!("{method}{ENSEMBLE}"), batch.together());
        has_ensemble && batch.seeds().all(|seed| self.has(batch, method, Seeds::One(seed)))
    }

    /// How many networks of a plan are in batches that are done.
    pub fn cells(&self, plan: &Plan) -> usize {
        let done = plan.batches.iter().filter(|batch| self.has_all(batch));
        done.map(|batch| batch.configuration.members).sum()
    }
}
