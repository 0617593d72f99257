//! Files that are published under their name only when they are complete.
//!
//! Everything that is written goes through [`OutputFile`]. The bytes go to a temporary file in
//! the target's folder, and [`OutputFile::commit`] renames it, so that a reader of the target sees
//! either the old content or all of the new content, and a failed run leaves the target unchanged.
//! This also makes it safe to overwrite a file that is being read.

mod claim;
mod standard;
mod temporary;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

pub use self::claim::OutputClaim;
use self::standard::StandardOutput;
pub use self::temporary::abandon;
use self::temporary::{Temporary, publishing};
use crate::input::{DisplayPath, is_gzip, is_standard};

/// Bytes buffered before they are passed to the operating system.
const BUFFER: usize = 1 << 18;

/// Why an output could not be written. The target is untouched in every case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names of the fields say it")]
pub enum OutputError {
    /// The folder of the target does not exist.
    #[error("cannot write {}: there is no folder {}", path.display(), folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    /// The target is a folder.
    #[error("cannot write {}: it is a folder", path.display())]
    IsFolder { path: PathBuf },
    /// The target exists and is marked read-only.
    #[error("cannot write {}: it is read-only", path.display())]
    ReadOnly { path: PathBuf },
    /// The target exists and is not to be replaced.
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    /// Another run is writing the target.
    #[error("another run is writing {}", path.display())]
    InUse { path: PathBuf },
    /// The file, or its temporary file, could not be created.
    #[error("cannot create {}", path.display())]
    Create { path: PathBuf, source: io::Error },
    /// Writing failed partway, for example because the disk is full or the pipe is closed.
    #[error("cannot write {}{}", to(path), DisplayPath::output(path))]
    Write {
        /// The target; `-` is standard output.
        path: PathBuf,
        source: io::Error,
    },
    /// The content is complete, but the file could not be renamed to the target.
    #[error("cannot move the finished file to {}", path.display())]
    Rename { path: PathBuf, source: io::Error },
}

/// What becomes of a file that exists under the name of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// It is replaced.
    #[default]
    Replace,
    /// It is kept, also if it appears while the output is made: publishing is then
    /// [`OutputError::Exists`]. Devices and pipes are written in any case.
    Keep,
}

/// Makes a file that grows past a limit of the operating system (`ulimit -f`) an error of the write,
/// not the silent end of the process.
pub fn report_size_limits() {
    #[cfg(unix)]
    #[allow(unsafe_code)]
    // SAFETY: ignoring a signal installs no handler; nothing else in the process uses this one.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// A file being written; see the [module](self).
///
/// A target whose name ends in `.gz` is compressed. `-` is standard output, and a target that
/// exists and is not a plain file (a device, a named pipe) is written directly: neither can be
/// replaced by a rename.
///
/// ```
/// use std::io::Write;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let target = folder.path().join("note.txt");
/// let mut file = rulebound_io::output::OutputFile::create(&target)?;
/// file.write_all(b"whole or not at all")?;
/// assert!(!target.exists());
/// file.commit()?;
/// assert!(target.exists());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    /// Taken when the file is finished.
    sink: Option<Sink>,
}

#[derive(Debug)]
enum Sink {
    Plain(BufWriter<Destination>),
    Gzip(Box<GzEncoder<BufWriter<Destination>>>),
}

#[derive(Debug)]
enum Destination {
    Temporary { file: Temporary, target: PathBuf, existing: Existing },
    Direct(File),
    Stdout(StandardOutput),
}

impl OutputFile {
    /// Starts writing `target`.
    ///
    /// A replaced file keeps its permissions; a new one gets the default permissions.
    ///
    /// # Errors
    /// If the folder does not exist, the target is a folder or read-only, or no file can be created
    /// there.
    pub fn create(target: &Path) -> Result<Self, OutputError> {
        Self::create_as(target, Existing::Replace)
    }

    /// As [`create`](Self::create), with a choice of what becomes of an existing file.
    ///
    /// # Errors
    /// As [`create`](Self::create), and [`OutputError::Exists`].
    pub fn create_as(target: &Path, existing: Existing) -> Result<Self, OutputError> {
        let destination = BufWriter::with_capacity(BUFFER, Destination::open(target, existing)?);
        let sink = if is_gzip(target) {
            let encoder = GzEncoder::new(destination, Compression::default());
            Sink::Gzip(Box::new(encoder))
        } else {
            Sink::Plain(destination)
        };
        Ok(Self { path: target.to_path_buf(), sink: Some(sink) })
    }

    /// The target, as given to [`create`](Self::create).
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Finishes writing and publishes the file under its name.
    ///
    /// # Errors
    /// When the last bytes cannot be written or the file cannot be renamed.
    pub fn commit(self) -> Result<(), OutputError> {
        self.finish()?.publish()
    }

    /// Finishes writing without publishing the file, so that several outputs can be published
    /// together.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn finish(mut self) -> Result<FinishedFile, OutputError> {
        let path = std::mem::take(&mut self.path);
        let finished = match self.sink.take() {
            Some(Sink::Plain(buffer)) => Ok(buffer),
            Some(Sink::Gzip(encoder)) => encoder.finish(),
            None => Err(finished_already()),
        };
        let destination = finished
            .and_then(|buffer| buffer.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(|mut destination| destination.sync().map(|()| destination));
        match destination {
            Ok(destination) => Ok(FinishedFile { path, destination }),
            Err(source) => Err(OutputError::Write { path, source }),
        }
    }

    /// The error for a failed write to this file.
    pub fn failed(&self, source: io::Error) -> OutputError {
        OutputError::Write { path: self.path.clone(), source }
    }
}

/// A complete file that is not published yet. If it is dropped, the temporary file is removed.
#[derive(Debug)]
#[must_use = "the file appears only when it is published"]
pub struct FinishedFile {
    path: PathBuf,
    destination: Destination,
}

impl FinishedFile {
    /// Opens what was written, to read it back; `None` where that is not possible, such as for a
    /// pipe.
    pub fn reopen(&self) -> io::Result<Option<File>> {
        match &self.destination {
            Destination::Temporary { file, .. } => file.reopen().map(Some),
            Destination::Direct(_) | Destination::Stdout(_) => Ok(None),
        }
    }

    /// Publishes the file under its name.
    ///
    /// # Errors
    /// When the file cannot be renamed.
    pub fn publish(self) -> Result<(), OutputError> {
        publish_all([self])
    }

    /// Whether existing files are kept.
    fn keeps(&self) -> bool {
        matches!(self.destination, Destination::Temporary { existing: Existing::Keep, .. })
    }

    fn expect_free(&self) -> Result<(), OutputError> {
        match self.keeps() && self.path.exists() {
            true => Err(OutputError::Exists { path: self.path.clone() }),
            false => Ok(()),
        }
    }

    fn settle(self) -> Result<(), OutputError> {
        let is_kept = self.keeps();
        let path = self.path;
        self.destination.settle().map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists if is_kept => OutputError::Exists { path },
            _ => OutputError::Rename { path, source },
        })
    }
}

/// Publishes several files; [`abandon`] comes before all of them or after all of them.
///
/// # Errors
/// When a file cannot be renamed; those that follow it are not published.
pub fn publish_all(files: impl IntoIterator<Item = FinishedFile>) -> Result<(), OutputError> {
    let _all = publishing();
    let files: Vec<FinishedFile> = files.into_iter().collect();
    // Not the first of them and then an error about the second.
    files.iter().try_for_each(FinishedFile::expect_free)?;
    files.into_iter().try_for_each(FinishedFile::settle)
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Some(Sink::Plain(sink)) => sink.write(bytes),
            Some(Sink::Gzip(sink)) => sink.write(bytes),
            None => Err(finished_already()),
        }
    }

    /// Does nothing: bytes reach the target when the buffer is full or the file is finished, so that
    /// a run that fails early leaves nothing on standard output.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for OutputFile {
    /// A file that is not finished is abandoned, with what is still in its buffer.
    fn drop(&mut self) {
        if let Some(Sink::Plain(buffer)) = self.sink.take() {
            drop(buffer.into_parts());
        }
    }
}

#[cold]
fn finished_already() -> io::Error {
    io::Error::other("the file is finished already")
}

impl Destination {
    fn open(path: &Path, existing: Existing) -> Result<Self, OutputError> {
        if is_standard(path) {
            return Ok(Self::Stdout(StandardOutput::new()));
        }
        let failed = |source| OutputError::Create { path: path.to_path_buf(), source };
        let Ok(found) = fs::metadata(path) else {
            return Self::temporary(path, path.to_path_buf(), existing);
        };
        if found.is_file() && existing == Existing::Keep {
            let path = path.to_path_buf();
            return Err(OutputError::Exists { path });
        }
        if found.is_dir() {
            let path = path.to_path_buf();
            return Err(OutputError::IsFolder { path });
        }
        if found.permissions().readonly() {
            let path = path.to_path_buf();
            return Err(OutputError::ReadOnly { path });
        }
        if !found.is_file() {
            let direct = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Self::Direct(direct));
        }
        // A rename would replace a symbolic link, not the file it points to.
        let opened = Self::temporary(path, fs::canonicalize(path).map_err(failed)?, existing)?;
        if let Self::Temporary { file, .. } = &opened {
            let permissions = found.permissions();
            file.file().and_then(|file| file.set_permissions(permissions)).map_err(failed)?;
        }
        Ok(opened)
    }

    fn temporary(path: &Path, target: PathBuf, existing: Existing) -> Result<Self, OutputError> {
        let file = Temporary::create_in(folder_of(&target)?)
            .map_err(|source| OutputError::Create { path: path.to_path_buf(), source })?;
        Ok(Self::Temporary { file, target, existing })
    }

    fn sync(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary { file, .. } => file.file()?.sync_all(),
            // A device or a pipe need not support syncing.
            Self::Direct(file) => file.flush(),
            Self::Stdout(output) => output.flush(),
        }
    }

    fn settle(self) -> io::Result<()> {
        match self {
            Self::Temporary { file, target, existing } => file.persist(&target, existing),
            Self::Direct(_) | Self::Stdout(_) => Ok(()),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary { file, .. } => file.file()?.write(bytes),
            Self::Direct(file) => file.write(bytes),
            Self::Stdout(output) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary { file, .. } => file.file()?.flush(),
            Self::Direct(file) => file.flush(),
            Self::Stdout(output) => output.flush(),
        }
    }
}

/// The folder of a file, which must exist.
fn folder_of(target: &Path) -> Result<&Path, OutputError> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match folder.is_dir() {
        true => Ok(folder),
        false => {
            Err(OutputError::NoFolder { path: target.to_path_buf(), folder: folder.to_path_buf() })
        }
    }
}

/// Messages say "to standard output", but just the name for a file.
fn to(path: &Path) -> &'static str {
    if is_standard(path) { "to " } else { "" }
}

#[cfg(test)]
mod tests;
