//! Watching a fit: whether to stop, and how far it is.

use std::sync::atomic::{AtomicBool, Ordering};

use super::rows::FitError;

/// Tells a fit to stop, and is told how far it is; from any thread.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl<'a> Watch<'a> {
    /// A watch that stops a fit soon after `stop` is set, and calls `progress` with the number of
    /// finished pieces (trees, classes, chains, epochs) and how many there are.
    pub fn new(stop: &'a AtomicBool, progress: &'a (dyn Fn(usize, usize) + Sync)) -> Self {
        Self { stop, progress }
    }

    /// Reports finished pieces, and fails if the fit is to stop.
    ///
    /// # Errors
    /// [`FitError::Stopped`].
    pub fn done(&self, pieces: usize, all: usize) -> Result<(), FitError> {
        (self.progress)(pieces, all);
        self.go_on()
    }

    /// Fails if the fit is to stop; cheap enough for inner loops.
    ///
    /// # Errors
    /// [`FitError::Stopped`].
    pub fn go_on(&self) -> Result<(), FitError> {
        if self.stop.load(Ordering::Relaxed) { Err(FitError::Stopped) } else { Ok(()) }
    }

    /// The flag, for what waits elsewhere.
    pub fn stop(&self) -> &'a AtomicBool {
        self.stop
    }
}

impl Watch<'static> {
    /// A watch that never stops and tells nobody.
    pub fn idle() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self { stop: &NEVER, progress: &|_, _| {} }
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("stop", &self.stop).finish_non_exhaustive()
    }
}
