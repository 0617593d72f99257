//! Who watches a reproduction.

use super::error::ReproduceError;
use super::plan::Batch;
use super::row::Row;
use rulebound::train;

/// Is told how a reproduction goes, from any thread, and how each of its runs does.
pub trait Observer: train::Observer {
    /// It begins: so many networks, of which so many have their results already.
    fn begin(&self, cells: usize, known: usize) {
        let _ = (cells, known);
    }

    /// A batch is begun.
    fn started(&self, batch: &Batch) {
        let _ = batch;
    }

    /// A batch is measured and kept.
    fn finished(&self, batch: &Batch, rows: &[Row]) {
        let _ = (batch, rows);
    }

    /// Another process is at a batch, or has just finished it.
    fn passed_over(&self, batch: &Batch) {
        let _ = batch;
    }

    /// A batch could not be done; the others go on.
    fn failed(&self, failed: &Failed) {
        let _ = failed;
    }
}

impl Observer for train::Silent {}

/// A batch that could not be done.
#[derive(Debug)]
pub struct Failed {
    /// The batch.
    pub batch: Batch,
    /// Why.
    pub error: ReproduceError,
}
