//! Claims: one lock per batch, which the operating system releases when its process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use super::error::ReproduceError;

/// The exclusive right to train a batch, for as long as this value lives.
#[derive(Debug)]
pub(super) struct Claim {
    _file: File,
}

impl Claim {
    /// Claims a batch, if no other process has it.
    ///
    /// # Errors
    /// If the lock file cannot be created.
    pub fn take(path: &Path) -> Result<Option<Self>, ReproduceError> {
        let mut options = OpenOptions::new();
        let opened = options.create(true).write(true).truncate(false).open(path);
        let file =
            opened.map_err(|source| ReproduceError::File { path: path.to_owned(), source })?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            // Some network file systems have no locks; claims only avoid duplicate work.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(Self { _file: file })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("yeast.ccn.0-9");
        let first = Claim::take(&path).unwrap();
        assert!(first.is_some());
        assert!(Claim::take(&path).unwrap().is_none());
        drop(first);
        assert!(Claim::take(&path).unwrap().is_some());
    }
}
