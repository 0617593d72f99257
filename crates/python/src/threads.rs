//! The threads that work while Python does something else.
//!
//! A process that was forked has none of the threads of its parent, and a call would wait for them forever:
//! workers of `multiprocessing` and of data loaders are forked. So there is a pool for each process, made at
//! its first use.

use std::sync::atomic::{AtomicPtr, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The pool of this process, if it is not that of a parent.
static POOL: AtomicPtr<Threads> = AtomicPtr::new(std::ptr::null_mut());

/// Threads, and the process that they belong to. Never freed: a child must not wait for threads that it does
/// not have.
struct Threads {
    process: u32,
    /// None where no threads can be made.
    pool: Option<ThreadPool>,
}

fn threads() -> &'static Threads {
    let process = std::process::id();
    let found = POOL.load(Ordering::Acquire);
    // SAFETY: whatever is stored there was leaked, and so is valid forever and never changed.
    #[allow(unsafe_code)]
    if let Some(threads) = unsafe { found.as_ref() }
        && threads.process == process
    {
        return threads;
    }
    let pool = ThreadPoolBuilder::new().thread_name(|index| format!("rulebound-{index}"));
    let made: &'static mut Threads =
        Box::leak(Box::new(Threads { process, pool: pool.build().ok() }));
    let made: *mut Threads = made;
    // If another thread was faster, both pools work; one of them is used once.
    let _ = POOL.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire);
    // SAFETY: as above.
    #[allow(unsafe_code)]
    unsafe {
        &*made
    }
}

/// Does something with all threads of this process.
pub fn run<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    match &threads().pool {
        Some(pool) => pool.install(act),
        None => act(),
    }
}
