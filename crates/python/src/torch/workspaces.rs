//! Memory that calls use again.

use std::sync::Mutex;

/// Workspaces that nobody uses now, each with its number of threads.
pub struct Workspaces<W>(Mutex<Vec<(usize, W)>>);

/// Workspaces that are kept.
const KEPT: usize = 16;

impl<W> Default for Workspaces<W> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<W> Workspaces<W> {
    /// Calls with a workspace for so many threads; no other caller has it meanwhile.
    pub fn with<T>(
        &self,
        threads: usize,
        new: impl FnOnce() -> W,
        act: impl FnOnce(&mut W) -> T,
    ) -> T {
        let kept = self.0.try_lock().ok().and_then(|mut kept| {
            let at = kept.iter().position(|(of, _)| *of == threads)?;
            Some(kept.swap_remove(at).1)
        });
        let mut workspace = kept.unwrap_or_else(new);
        let result = act(&mut workspace);
        if let Ok(mut kept) = self.0.try_lock()
            && kept.len() < KEPT
        {
            kept.push((threads, workspace));
        }
        result
    }
}
