//! What only the first layer of a network has: rows that may be sparse.

use super::sparse_batch::SparseBatch;
use super::sparse_layer::SparseUpdate;
use rulebound_io::features::FeatureRow;

/// The rows of a batch, if they are sparse, and how their weights are updated.
#[derive(Debug, Default)]
pub(super) struct FirstLayer {
    /// The rows of the batch, if they are sparse.
    pub(super) sparse: Option<SparseBatch>,
    /// The memory of such rows while they are not.
    spare: SparseBatch,
    pub(super) update: SparseUpdate,
}

impl FirstLayer {
    pub(super) fn new(update: SparseUpdate) -> Self {
        Self { update, ..Self::default() }
    }

    /// Takes the rows if they are sparse; returns whether they are.
    pub(super) fn take(&mut self, width: usize, rows: &[FeatureRow<'_>]) -> bool {
        let mut batch = self.sparse.take().unwrap_or_else(|| std::mem::take(&mut self.spare));
        if SparseBatch::suits(rows) {
            batch.fill(width, rows);
            self.sparse = Some(batch);
        } else {
            self.spare = batch;
        }
        self.sparse.is_some()
    }
}
