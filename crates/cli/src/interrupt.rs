//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Two signals within this time count as one: some programs signal a process and then its group.
const ONE_PRESS: Duration = Duration::from_millis(500);

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
pub fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let mut first: Option<Instant> = None;
    // Without a handler Ctrl-C still ends the program, just less tidily.
    ctrlc::set_handler(move || {
        flag.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > ONE_PRESS {
            std::process::exit(130);
        }
    })
    .ok();
    stop
}
