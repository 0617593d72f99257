//! Which results exist already.

use std::collections::HashSet;

use super::plan::{Batch, Plan};
use super::row::{ENSEMBLE, Row, Seeds};

/// Existing results.
#[derive(Clone, Debug)]
pub struct Known(HashSet<(String, String, Seeds, String)>);

impl Known {
    /// The results in these rows.
    pub fn from_rows(rows: &[Row]) -> Self {
        let key =
            |row: &Row| (row.set.clone(), row.method.clone(), row.seeds, row.configuration.clone());
        Self(rows.iter().map(key).collect())
    }

    /// Whether a network of the batch, or the ensemble, has its row.
    pub(super) fn has(&self, batch: &Batch, method: &str, seeds: Seeds) -> bool {
        let (set, digest) = (batch.subject.to_string(), batch.digest());
        self.0.contains(&(set, method.to_owned(), seeds, digest))
    }

    /// Whether every network has its row, and so has the ensemble.
    pub fn has_all(&self, batch: &Batch) -> bool {
        let name = batch.system.to_string();
        let has_ensemble = batch.configuration.members == 1
            || self.has(batch, &format!("{name}{ENSEMBLE}"), batch.ensemble_seeds());
        has_ensemble && batch.seeds().all(|seed| self.has(batch, &name, Seeds::One(seed)))
    }

    /// The number of networks of a plan in finished batches.
    pub fn cells(&self, plan: &Plan) -> usize {
        let done = plan.batches.iter().filter(|batch| self.has_all(batch));
        done.map(|batch| batch.configuration.members).sum()
    }
}
