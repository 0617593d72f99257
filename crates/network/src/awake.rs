//! Keeps threads awake between the parts of a step.
//!
//! A step is a dozen short pieces of work with less than a tenth of a millisecond between them. A
//! thread that goes to sleep in between takes about as long to wake up as the next piece takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::Yield;

/// How long an idle thread waits for work before it goes to sleep after all.
const PATIENCE: Duration = Duration::from_millis(1);

/// Runs `work` on a thread of the pool and keeps the others awake meanwhile: for a sequence of
/// steps of one network. Does not affect results.
///
/// ```
/// use rulebound_network::awake;
/// assert_eq!(awake(|| 6 * 7), 42);
/// ```
pub fn awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let done = Arc::new(AtomicBool::new(false));
    let result = rayon::scope(|_| {
        let (own, seen) = (rayon::current_thread_index(), Arc::clone(&done));
        // Nothing waits for them: a thread that is busy elsewhere arrives late, and leaves at once.
        rayon::spawn_broadcast(move |context| {
            if Some(context.index()) != own {
                help(&seen);
            }
        });
        work()
    });
    done.store(true, Ordering::Relaxed);
    result
}

/// Runs queued work until `work` is done or nothing has arrived for a while: another thread may be
/// waiting for what this one was doing before.
fn help(done: &AtomicBool) {
    let mut since = Instant::now();
    while !done.load(Ordering::Relaxed) {
        if rayon::yield_now() == Some(Yield::Executed) {
            since = Instant::now();
        } else if since.elapsed() > PATIENCE {
            return;
        } else {
            std::hint::spin_loop();
        }
    }
}
