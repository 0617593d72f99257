//! Where a run keeps its checkpoint and log, and how often it saves.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where a run keeps its checkpoint and log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunPaths {
    /// The checkpoint; written periodically and when the run is interrupted, removed at the end.
    pub checkpoint: Option<PathBuf>,
    /// Whether to resume from the checkpoint if there is one.
    pub resume: bool,
    /// The log.
    pub log: Option<PathBuf>,
    /// Whether every line of the log has the time of day, which makes two logs of one run differ.
    pub timestamps: bool,
    /// The time between two checkpoints; extended if writing one takes long.
    pub checkpoint_interval: Duration,
}

impl Default for RunPaths {
    fn default() -> Self {
        Self {
            checkpoint: None,
            resume: false,
            log: None,
            timestamps: false,
            checkpoint_interval: Duration::from_secs(10),
        }
    }
}

/// Writing checkpoints takes at most one part in this many of the time.
const TIME_PER_CHECKPOINT_TIME: u32 = 20;

/// When the next checkpoint is due.
pub(super) struct Saving<'a> {
    paths: &'a RunPaths,
    saved: Instant,
    pause: Duration,
}

impl<'a> Saving<'a> {
    pub fn new(paths: &'a RunPaths) -> Self {
        Self { paths, saved: Instant::now(), pause: paths.checkpoint_interval }
    }

    /// Where to write a checkpoint, if it is time for one: when one is due, and always when the run
    /// is about to stop.
    pub fn due(&self, stopped: bool) -> Option<&'a Path> {
        let is_due = stopped || self.saved.elapsed() >= self.pause;
        self.paths.checkpoint.as_deref().filter(|_| is_due)
    }

    /// Notes that a checkpoint was written, from `start` until now.
    pub fn done(&mut self, start: Instant) {
        self.pause = self.paths.checkpoint_interval.max(start.elapsed() * TIME_PER_CHECKPOINT_TIME);
        self.saved = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_take_a_small_share_of_the_time() {
        let paths = RunPaths {
            checkpoint: Some(PathBuf::from("a.checkpoint")),
            checkpoint_interval: Duration::ZERO,
            ..RunPaths::default()
        };
        let mut saving = Saving::new(&paths);
        assert_eq!(saving.due(false), Some(Path::new("a.checkpoint")));
        // It took a minute: no other for twenty, unless the run is stopped.
        let Some(start) = Instant::now().checked_sub(Duration::from_secs(60)) else { return };
        saving.done(start);
        assert_eq!(saving.due(false), None);
        assert_eq!(saving.due(true), Some(Path::new("a.checkpoint")));
        assert!(saving.pause >= Duration::from_secs(20 * 60));
        let nowhere = RunPaths { checkpoint_interval: Duration::ZERO, ..RunPaths::default() };
        assert_eq!(Saving::new(&nowhere).due(true), None);
    }
}
