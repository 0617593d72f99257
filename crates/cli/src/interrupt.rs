//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set when the user presses Ctrl-C; pressed again, the program ends at once.
pub fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler Ctrl-C still ends the program, only less tidily.
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .ok();
    stop
}
