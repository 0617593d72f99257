//! Callbacks during training.

use super::labels::BrokenLabels;
use super::state::record::EpochRecord;
use super::state::record::Phase;

/// Receives the events of a run, from any thread.
pub trait Observer: Sync {
    /// A phase begins, with this many members and examples per epoch, and at most this many epochs
    /// if that is known.
    fn phase(&self, phase: Phase, members: usize, examples: usize, epochs: Option<usize>) {
        let _ = (phase, members, examples, epochs);
    }

    /// `count` more examples have been processed.
    fn examples(&self, count: usize) {
        let _ = count;
    }

    /// This many of all pieces (trees, chains, classes) of a learner that has no epochs are fitted.
    fn pieces(&self, pieces: usize, all: usize) {
        let _ = (pieces, all);
    }

    /// A member finished an epoch.
    fn epoch(&self, record: &EpochRecord) {
        let _ = record;
    }

    /// Labels of the training rows break rules.
    fn broken_labels(&self, broken: &BrokenLabels) {
        let _ = broken;
    }

    /// Rows are on a disk, and shuffled among this many, which take this many bytes.
    fn shuffle_buffer(&self, rows: usize, bytes: u64) {
        let _ = (rows, bytes);
    }

    /// The run resumes from a checkpoint.
    fn resumed(&self, phase: Phase, epoch: usize) {
        let _ = (phase, epoch);
    }
}

/// Ignores every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
