//! Where a run keeps what must not be lost, and how often.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where a run keeps what must not be lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The checkpoint; written from time to time and when the run is stopped, removed at the end.
    pub checkpoint: Option<PathBuf>,
    /// Whether to go on from the checkpoint if there is one.
    pub resume: bool,
    /// The log.
    pub log: Option<PathBuf>,
    /// The time between two checkpoints; longer where writing one takes long.
    pub every: Duration,
}

impl Default for Places {
    fn default() -> Self {
        Self { checkpoint: None, resume: false, log: None, every: Duration::from_secs(10) }
    }
}

/// Writing checkpoints takes at most one part in so many of the time.
const CHECKPOINT_SHARE: u32 = 20;

/// When the next checkpoint is due.
pub(super) struct Saving<'a> {
    places: &'a Places,
    saved: Instant,
    pause: Duration,
}

impl<'a> Saving<'a> {
    pub fn new(places: &'a Places) -> Self {
        Self { places, saved: Instant::now(), pause: places.every }
    }

    /// Where to write a checkpoint, if now is the time: when one is due, and in any case when the
    /// run is to stop.
    pub fn due(&self, stopped: bool) -> Option<&'a Path> {
        let is_due = stopped || self.saved.elapsed() >= self.pause;
        self.places.checkpoint.as_deref().filter(|_| is_due)
    }

    /// Learns that one was written, from `start` until now.
    pub fn done(&mut self, start: Instant) {
        self.pause = self.places.every.max(start.elapsed() * CHECKPOINT_SHARE);
        self.saved = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_take_a_small_share_of_the_time() {
        let places = Places {
            checkpoint: Some(PathBuf::from("a.checkpoint")),
            every: Duration::ZERO,
            ..Places::default()
        };
        let mut saving = Saving::new(&places);
        assert_eq!(saving.due(false), Some(Path::new("a.checkpoint")));
        // It took a minute: none for twenty, unless the run is stopped.
        let Some(start) = Instant::now().checked_sub(Duration::from_secs(60)) else { return };
        saving.done(start);
        assert_eq!(saving.due(false), None);
        assert_eq!(saving.due(true), Some(Path::new("a.checkpoint")));
        assert!(saving.pause >= Duration::from_secs(20 * 60));
        let nowhere = Places { every: Duration::ZERO, ..Places::default() };
        assert_eq!(Saving::new(&nowhere).due(true), None);
    }
}
