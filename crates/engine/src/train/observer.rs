//! Who watches a run.

use super::labels::BrokenLabels;
use super::record::EpochRecord;
use super::record::Phase;

/// Is told how a run goes, from any thread.
pub trait Observer: Sync {
    /// A phase begins: members, examples an epoch, epochs it takes at most if that is known.
    fn phase(&self, phase: Phase, members: usize, examples: usize, epochs: Option<usize>) {
        let _ = (phase, members, examples, epochs);
    }

    /// So many more examples were learned from.
    fn examples(&self, count: usize) {
        let _ = count;
    }

    /// A member finished an epoch.
    fn epoch(&self, record: &EpochRecord) {
        let _ = record;
    }

    /// Labels of the training rows break rules.
    fn broken_labels(&self, broken: &BrokenLabels) {
        let _ = broken;
    }

    /// The run goes on from a checkpoint.
    fn resumed(&self, phase: Phase, epoch: usize) {
        let _ = (phase, epoch);
    }
}

/// Does not listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
