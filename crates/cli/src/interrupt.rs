//! Ctrl-C and other requests to end (SIGTERM, SIGHUP).

use crate::failure::INTERRUPTED;
use crate::screen;
use rulebound_io::output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Two signals within this time count as one: some programs signal a process and then its group.
const ONE_PRESS: Duration = Duration::from_millis(500);

/// How long a command of one pass may take to end by itself; it may be waiting for input.
const GRACE: Duration = Duration::from_millis(300);

/// A flag that the first signal sets, for runs that then save what they have; a second signal ends the
/// program at once.
pub fn stop_on_signal() -> Arc<AtomicBool> {
    let mut first: Option<Instant> = None;
    on_signal(move || {
        if first.get_or_insert_with(Instant::now).elapsed() > ONE_PRESS {
            end();
        }
    })
}

/// A flag that the first signal sets, for commands that have nothing to save: they end soon after it,
/// even while they wait for input.
pub fn end_on_signal() -> Arc<AtomicBool> {
    on_signal(|| {
        std::thread::sleep(GRACE);
        screen::error("stopped; nothing was written");
        end();
    })
}

fn on_signal(mut then: impl FnMut() + Send + 'static) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler a signal still ends the program, just less tidily.
    ctrlc::set_handler(move || {
        flag.store(true, Ordering::Relaxed);
        then();
    })
    .ok();
    stop
}

/// Ends the program without leaving temporary files.
fn end() {
    output::abandon();
    std::process::exit(INTERRUPTED.into());
}
