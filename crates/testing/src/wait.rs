//! Waiting for something that another process does.

use std::time::{Duration, Instant};

/// Far more than anything takes that ever happens.
const DEADLINE: Duration = Duration::from_secs(120);

/// Looks again and again until it is so; fails with `what` if it never is.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < DEADLINE, "never came about: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
