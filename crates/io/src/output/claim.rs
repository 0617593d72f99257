//! The exclusive right to write an output that takes long to make.
//!
//! A claim is a lock on a file beside the output, `NAME.lock`, which goes with the claim. The operating
//! system releases the lock when the process dies; a file that is left over locks nobody out, and goes
//! with the next claim, as do temporary files that killed processes left in the folder. Where a file
//! system has no locks, everybody gets the claim.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::OutputError;
use super::temporary::Temporary;

/// The lock files of this process that exist now.
static HELD: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The exclusive right to write an output, for as long as this value lives.
#[derive(Debug)]
pub struct OutputClaim {
    path: PathBuf,
    _file: File,
}

impl OutputClaim {
    /// Claims an output.
    ///
    /// # Errors
    /// [`OutputError::InUse`] if another run has claimed it, or if the lock file cannot be created.
    pub fn take(output: &Path) -> Result<Self, OutputError> {
        let mut name = output.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let folder = super::folder_of(output)?;
        loop {
            let mut held = held();
            let opened = OpenOptions::new().create(true).write(true).truncate(false).open(&path);
            let file = opened
                .map_err(|source| OutputError::Create { path: output.to_path_buf(), source })?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    return Err(OutputError::InUse { path: output.to_path_buf() });
                }
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            // Whoever had the claim before may have removed the file after it was opened here.
            if is_same(&file, &path).unwrap_or(true) {
                held.push(path.clone());
                drop(held);
                // It removes what was left there; a folder that takes no file is reported by whoever writes.
                drop(Temporary::create_in(folder));
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for OutputClaim {
    fn drop(&mut self) {
        let mut held = held();
        held.retain(|path| *path != self.path);
        // Before the lock is released, so that nobody else's file is removed.
        fs::remove_file(&self.path).ok();
    }
}

/// Removes all lock files of this process, which is about to end, and keeps it from making others.
pub(super) fn abandon_claims() {
    let held = held();
    for path in held.iter() {
        fs::remove_file(path).ok();
    }
    std::mem::forget(held);
}

fn held() -> MutexGuard<'static, Vec<PathBuf>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let identity = |known: fs::Metadata| (known.dev(), known.ino());
    match fs::metadata(path) {
        Ok(known) => Ok(identity(known) == identity(file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> io::Result<bool> {
    Ok(path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("m.rulebound");
        let first = OutputClaim::take(&output).unwrap();
        assert!(matches!(OutputClaim::take(&output), Err(OutputError::InUse { .. })));
        drop(first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // What a killed run leaves.
        fs::write(folder.path().join("m.rulebound.lock"), "").unwrap();
        drop(OutputClaim::take(&output).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
