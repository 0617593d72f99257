//! Waiting for another process.

use std::time::{Duration, Instant};

/// Far longer than any condition takes to come true.
const DEADLINE: Duration = Duration::from_secs(120);

/// Polls until a condition holds; fails with `what` if it never does.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < DEADLINE, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
