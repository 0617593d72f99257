//! The boundary to the Parquet library: a panic of it becomes an error.
//!
//! The library checks most of what it reads, but not all: a damaged page can run it into an assertion or
//! past the end of a slice. Nothing it was working on is used after that.

use std::cell::Cell;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use crate::table::TableError;

thread_local! {
    /// Whether this thread is inside the library, so that a panic is not worth a message.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// The library panicked.
#[derive(Debug, thiserror::Error)]
#[error("the data is damaged: {0}")]
struct Panicked(String);

/// Runs code of the library on the file at `path`.
pub(super) fn guarded<T, E: Error + Send + Sync + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, TableError> {
    // Panics of all others are reported as before.
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !INSIDE.get() {
                others(panic);
            }
        }));
    });
    let before = INSIDE.replace(true);
    // The caller drops what the work was using, so nobody sees it half changed.
    let result = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(before);
    let source = match result {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.into(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Panicked(text.unwrap_or("no reason given").to_owned()).into()
        }
    };
    Err(TableError::Parquet { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Error as Failed;

    #[test]
    fn a_panic_is_an_error_with_its_reason() {
        let path = Path::new("x.parquet");
        let error = guarded(path, || -> Result<(), Failed> { panic!("at {}", 7) }).unwrap_err();
        assert_eq!(error.source().unwrap().to_string(), "the data is damaged: at 7");
        assert!(error.to_string().starts_with("x.parquet"));
        assert!(!INSIDE.get());
        assert!(guarded(path, || -> Result<(), Failed> { Err(Failed) }).is_err());
        assert_eq!(guarded(path, || -> Result<u8, Failed> { Ok(1) }).unwrap(), 1);
    }
}
