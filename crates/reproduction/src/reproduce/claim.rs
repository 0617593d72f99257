//! Who trains what: a lock for each batch, which the system takes back when its process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use super::error::ReproduceError;

/// The right to train a batch, as long as it lives.
#[derive(Debug)]
pub(super) struct Claim {
    _file: File,
}

impl Claim {
    /// Takes a batch, if nobody has it.
    ///
    /// # Errors
    /// When the file of the lock cannot be made.
    pub fn take(path: &Path) -> Result<Option<Self>, ReproduceError> {
        let mut options = OpenOptions::new();
        let opened = options.create(true).write(true).truncate(false).open(path);
        let file =
            opened.map_err(|source| ReproduceError::File { path: path.to_owned(), source })?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            // Some network file systems have no locks; they are a courtesy.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(Self { _file: file })),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
