//! Callbacks during a reproduction.

use super::error::ReproduceError;
use super::plan::Batch;
use super::row::Row;
use rulebound::train;

/// Receives the events of a reproduction and of each of its runs, from any thread.
pub trait Observer: train::Observer {
    /// It begins, with this many networks, of which this many have their results already.
    fn begin(&self, cells: usize, known: usize) {
        let _ = (cells, known);
    }

    /// A batch is started.
    fn started(&self, batch: &Batch) {
        let _ = batch;
    }

    /// A batch has been measured and saved.
    fn finished(&self, batch: &Batch, rows: &[Row]) {
        let _ = (batch, rows);
    }

    /// A batch is skipped: another process is working on it, or has just finished it.
    fn skipped(&self, batch: &Batch) {
        let _ = batch;
    }

    /// A batch failed; the others continue.
    fn failed(&self, failed: &Failed) {
        let _ = failed;
    }
}

impl Observer for train::Silent {}

/// A batch that failed.
#[derive(Debug)]
pub struct Failed {
    /// The batch.
    pub batch: Batch,
    /// Why.
    pub error: ReproduceError,
}
