//! Temporary files: names, locks, leftovers, and what to do with them when the process must end.
//!
//! A writer holds an exclusive lock on its temporary file until the file is published or dropped.
//! The operating system releases the lock when the process dies, however it dies. So a temporary
//! file is a leftover if its lock is free, no matter in which container its writer ran. Locks need not
//! reach from one machine to another; a file of another machine is only a leftover if it has also
//! not been touched for a day. Invariant: no file whose lock is held is ever removed by another
//! process.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::Existing;
use super::claim::abandon_claims;

/// Names of temporary files: prefix, the boot of the machine, `-`, random characters, suffix.
const PREFIX: &str = ".rulebound-";
const SUFFIX: &str = ".tmp";

/// How long a file of another machine must be untouched before it counts as a leftover.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// How often to try again when another process removes a file before it could be locked.
const ATTEMPTS: usize = 100;

/// The temporary files of this process that exist now.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Held while files get their names; see [`publishing`].
static PUBLISHING: Mutex<()> = Mutex::new(());

/// A temporary file that this process is writing.
#[derive(Debug)]
pub(super) struct Temporary {
    /// Taken when it gets its final name.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl Temporary {
    /// Creates a locked file in a folder, and removes what killed processes left there.
    pub fn create_in(folder: &Path) -> io::Result<Self> {
        let mut open = open_files();
        let mut attempts = 0;
        let file = loop {
            let file = new_file(folder)?;
            if is_ours(&file) {
                break file;
            }
            attempts += 1;
            if attempts == ATTEMPTS {
                return Err(io::Error::other("temporary files are removed as soon as they appear"));
            }
        };
        open.push(file.path().to_path_buf());
        if let Ok(own) = file.as_file().metadata() {
            remove_leftovers(folder, &own);
        }
        Ok(Self { path: file.path().to_path_buf(), file: Some(file) })
    }

    /// The open file.
    pub fn file(&self) -> io::Result<&File> {
        self.file.as_ref().map(NamedTempFile::as_file).ok_or_else(gone)
    }

    /// Opens the file once more, from its beginning.
    pub fn reopen(&self) -> io::Result<File> {
        self.file.as_ref().ok_or_else(gone)?.reopen()
    }

    /// Gives the file its final name. If an existing file is to be kept, the test and the new name are one
    /// step of the file system, so that no other process comes between them.
    pub fn persist(mut self, target: &Path, existing: Existing) -> io::Result<()> {
        let mut open = open_files();
        let file = self.file.take().ok_or_else(gone)?;
        let named = match existing {
            Existing::Replace => file.persist(target),
            Existing::Keep => file.persist_noclobber(target),
        };
        // A file that did not get its name is removed here, while no other thread ends the process.
        named.map(drop).map_err(|failed| failed.error)?;
        forget(&mut open, &self.path);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut open = open_files();
        drop(self.file.take());
        forget(&mut open, &self.path);
    }
}

fn gone() -> io::Error {
    io::Error::other("the file has its name already")
}

/// Removes all temporary files of this process, and keeps it from creating or publishing files from
/// now on: for a process that is about to exit while other threads are still running.
pub fn abandon() {
    let (publishing, open) = (publishing(), open_files());
    for path in open.iter() {
        fs::remove_file(path).ok();
    }
    abandon_claims();
    // Never released: whoever wants to create or publish a file waits for the end of the process.
    std::mem::forget((publishing, open));
}

/// Held while files get their names, so that the process does not end after some of them.
pub(super) fn publishing() -> MutexGuard<'static, ()> {
    PUBLISHING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this process is writing files.
pub(super) fn is_any_open() -> bool {
    !open_files().is_empty()
}

fn open_files() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget(open: &mut Vec<PathBuf>, path: &Path) {
    if let Some(place) = open.iter().position(|other| other == path) {
        open.swap_remove(place);
    }
}

fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let prefix = format!("{PREFIX}{}-", this_boot());
    builder.prefix(&prefix).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The operating system applies the umask, as for any new file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Locks a new file; false if another process took it for a leftover before it was locked.
fn is_ours(file: &NamedTempFile) -> bool {
    match file.as_file().try_lock() {
        Ok(()) => file.path().exists(),
        Err(fs::TryLockError::WouldBlock) => false,
        // Without locks nothing is ever removed.
        Err(fs::TryLockError::Error(_)) => true,
    }
}

/// Sixteen digits that name this machine since it was started; zeros where the system has no such
/// name.
fn this_boot() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).take(16).collect();
    format!("{digits:0<16}")
}

/// The boot in the name of a temporary file. `None` for a file of another kind; files of earlier
/// versions have the number of a process there.
fn boot_in(name: &str) -> Option<&str> {
    let middle = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (boot, _) = middle.split_once('-')?;
    boot.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(boot)
}

/// Removes the temporary files that nobody is writing. `own` was created just now, by the clock of the
/// file system.
fn remove_leftovers(folder: &Path, own: &Metadata) {
    let (Ok(entries), Ok(now)) = (fs::read_dir(folder), own.modified()) else { return };
    let this = this_boot();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(boot) = name.to_str().and_then(boot_in) else { continue };
        let is_here = boot == this && boot.bytes().any(|digit| digit != b'0');
        let touched = entry.metadata().and_then(|metadata| metadata.modified());
        let age = touched.ok().and_then(|touched| now.duration_since(touched).ok());
        if !is_here && age.is_none_or(|age| age < ABANDONED) {
            continue;
        }
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            fs::remove_file(entry.path()).ok();
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use std::time::SystemTime;

    fn old(path: &Path) {
        let day = Duration::from_secs(25 * 60 * 60);
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - day).unwrap();
    }

    fn leftover(folder: &Path, boot: &str) -> PathBuf {
        let path = folder.join(format!("{PREFIX}{boot}-x{SUFFIX}"));
        fs::write(&path, "half").unwrap();
        path
    }

    #[test]
    fn a_free_lock_on_this_machine_is_a_leftover() {
        let folder = tempfile::tempdir().unwrap();
        let alive = Temporary::create_in(folder.path()).unwrap();
        let dead = leftover(folder.path(), &this_boot());
        let notes = folder.path().join(format!("{PREFIX}notes{SUFFIX}"));
        fs::write(&notes, "mine").unwrap();
        old(&notes);
        let next = Temporary::create_in(folder.path()).unwrap();
        assert!(!dead.exists());
        assert!(alive.path.exists() && next.path.exists() && notes.exists());
    }

    /// Files of another machine, and of versions that wrote the number of a process.
    #[test]
    fn elsewhere_a_leftover_is_also_a_day_old() {
        let folder = tempfile::tempdir().unwrap();
        for boot in ["00112233445566778", "4194999"] {
            let file = leftover(folder.path(), boot);
            drop(Temporary::create_in(folder.path()).unwrap());
            assert!(file.exists(), "{boot}");
            old(&file);
            let held = File::open(&file).unwrap();
            held.lock().unwrap();
            drop(Temporary::create_in(folder.path()).unwrap());
            assert!(file.exists(), "{boot} is being written");
            drop(held);
            // A process that another test is just starting has a copy of the handle, and so the
            // lock, for a moment.
            for _ in 0..500 {
                drop(Temporary::create_in(folder.path()).unwrap());
                if !file.exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            assert!(!file.exists(), "{boot}");
        }
    }

    #[test]
    fn a_published_file_is_neither_temporary_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a");
        let file = Temporary::create_in(folder.path()).unwrap();
        let path = file.path.clone();
        assert!(open_files().contains(&path));
        file.persist(&target, Existing::Replace).unwrap();
        assert!(target.exists() && !path.exists() && !open_files().contains(&path));
    }

    #[test]
    fn a_file_that_is_kept_is_not_replaced_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a");
        let file = Temporary::create_in(folder.path()).unwrap();
        let path = file.path.clone();
        fs::write(&target, "theirs").unwrap();
        let error = file.persist(&target, Existing::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&target).unwrap(), b"theirs");
        assert!(!path.exists() && !open_files().contains(&path));
    }
}
