//! The threads of the operations on tensors.
//!
//! A pool of its own, because those of rayon's own pool are gone after a `fork`, and a call would wait for
//! them forever: the workers of a `DataLoader` are forked. In a child of the process that made the pool,
//! everything runs on the calling thread.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Numbers below which waking threads costs more than it saves.
const WORTH: usize = 1 << 16;

/// The pool, and the process that made it.
static POOL: OnceLock<Option<(u32, ThreadPool)>> = OnceLock::new();

fn pool() -> Option<&'static ThreadPool> {
    let made = POOL.get_or_init(|| {
        let pool = ThreadPoolBuilder::new().thread_name(|index| format!("rulebound-{index}"));
        // Where no threads can be made, the calling thread has to do.
        pool.build().ok().map(|pool| (std::process::id(), pool))
    });
    let (process, pool) = made.as_ref()?;
    (*process == std::process::id()).then_some(pool)
}

/// Does something to so many numbers, with at most `most` threads: the number that may be used is passed on.
pub fn run<T: Send>(numbers: usize, most: usize, act: impl FnOnce(usize) -> T + Send) -> T {
    let most = if numbers < WORTH { 1 } else { most };
    match (most > 1).then(pool).flatten() {
        None => act(1),
        Some(pool) => {
            let threads = most.min(pool.current_num_threads());
            pool.install(|| act(threads))
        }
    }
}
