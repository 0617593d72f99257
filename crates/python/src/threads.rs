//! The threads that work while Python does something else.
//!
//! A process that was forked has none of the threads of its parent, and a call would wait for them forever:
//! workers of `multiprocessing` and of data loaders are forked. So there is a pool for each process, made at
//! its first use; rayon's own pool is never used.

use std::sync::atomic::{AtomicPtr, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Numbers below which waking threads costs more than it saves.
const WORTH: usize = 1 << 16;

/// The pool of this process, if it is not that of a parent.
static POOL: AtomicPtr<Threads> = AtomicPtr::new(std::ptr::null_mut());

/// Threads, and the process that they belong to. Those of [`POOL`] are never freed: a child must not wait for
/// threads that it does not have.
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
    let made = Box::into_raw(Box::new(Threads { process, pool: pool.build().ok() }));
    match POOL.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: it was leaked just now.
        #[allow(unsafe_code)]
        Ok(_) => unsafe { &*made },
        // Another thread of this process was faster: one pool is enough.
        // SAFETY: nobody else has seen ours, and theirs is as above.
        #[allow(unsafe_code)]
        Err(theirs) => unsafe {
            drop(Box::from_raw(made));
            &*theirs
        },
    }
}

thread_local! {
    /// A pool in which the calling thread is the only one.
    static ALONE: Option<ThreadPool> =
        ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
}

/// Does something with all threads of this process or, if not `parallel`, on the calling thread: engines run one task on
/// each core, and more threads would only be in their way.
pub fn run_if<T: Send>(parallel: bool, act: impl FnOnce() -> T + Send) -> T {
    if parallel {
        return run(act);
    }
    ALONE.with(|pool| match pool {
        Some(pool) => pool.install(act),
        None => run(act),
    })
}

/// Does something with all threads of this process.
pub fn run<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    match &threads().pool {
        Some(pool) => pool.install(act),
        None => act(),
    }
}

/// Does something to so many numbers, with at most `most` threads: the number that may be used is passed on.
pub fn run_at_most<T: Send>(most: usize, numbers: usize, act: impl FnOnce(usize) -> T + Send) -> T {
    if most <= 1 || numbers < WORTH {
        return act(1);
    }
    run(|| act(most.min(rayon::current_num_threads())))
}
