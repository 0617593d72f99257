//! A file that appears under its name only when it is complete.
//!
//! Everything the engine writes goes through [`OutputFile`]. The bytes go to a temporary file in
//! the folder of the target, and [`OutputFile::commit`] renames it, so that a reader of the target
//! sees the old content or the whole new content, never a part of it, and a failed run leaves the
//! target as it was. This also makes it safe to write over a file that is being read.

use std::fs::{self, File};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::input::{DisplayPath, is_gzip, is_standard};

/// How temporary files are called: the number of the process that writes them is between.
const PREFIX: &str = ".rulebound-";
const SUFFIX: &str = ".tmp";

/// Bytes gathered before they are handed to the system.
const BUFFER: usize = 1 << 18;

/// Why an output could not be written. The target is untouched in every case.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder the file should appear in does not exist.
    #[error("cannot write {}: there is no folder {}", path.display(), folder.display())]
    NoFolder {
        /// The file asked for.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The target is a folder.
    #[error("cannot write {}: it is a folder", path.display())]
    IsFolder {
        /// The file asked for.
        path: PathBuf,
    },
    /// The target exists and is marked read-only.
    #[error("cannot write {}: it is read-only", path.display())]
    ReadOnly {
        /// The file asked for.
        path: PathBuf,
    },
    /// The file, or the temporary file beside it, could not be created.
    #[error("cannot create {}", path.display())]
    Create {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Writing failed on the way, for example because the disk is full or the pipe is closed.
    #[error("cannot write {}{}", to(path), DisplayPath::output(path))]
    Write {
        /// The file asked for; `-` is standard output.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The content is complete, but could not be moved to its name.
    #[error("cannot move the finished file to {}", path.display())]
    Rename {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A file being written; see the [module](self).
///
/// A name that ends in `.gz` is compressed on the way. `-` is standard output, and a target that
/// exists and is not a plain file (a device, a named pipe) is written directly: neither can be
/// replaced by a rename.
///
/// ```
/// use std::io::Write;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let target = folder.path().join("note.txt");
/// let mut file = rulebound::output::OutputFile::create(&target)?;
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
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Plain(BufWriter<Destination>),
    Gzip(Box<GzEncoder<BufWriter<Destination>>>),
}

#[derive(Debug)]
enum Destination {
    Temporary { file: NamedTempFile, target: PathBuf },
    Direct(File),
    Stdout(Stdout),
}

impl OutputFile {
    /// Starts writing `target`.
    ///
    /// A file that is replaced hands on its permissions; a new one gets the usual ones.
    ///
    /// # Errors
    /// When the folder is missing, the target is a folder or read-only, or nothing can be created
    /// there.
    pub fn create(target: &Path) -> Result<Self, OutputError> {
        let destination = BufWriter::with_capacity(BUFFER, Destination::open(target)?);
        let sink = if is_gzip(target) {
            let encoder = GzEncoder::new(destination, Compression::default());
            Sink::Gzip(Box::new(encoder))
        } else {
            Sink::Plain(destination)
        };
        Ok(Self { path: target.to_path_buf(), sink })
    }

    /// The target as it was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the last bytes cannot be written or the file cannot be renamed.
    pub fn commit(self) -> Result<(), OutputError> {
        self.complete()?.appear()
    }

    /// Completes the file, which does not yet appear: for who has several to show at once.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn complete(self) -> Result<CompleteFile, OutputError> {
        let path = self.path;
        let finished = match self.sink {
            Sink::Plain(buffer) => Ok(buffer),
            Sink::Gzip(encoder) => encoder.finish(),
        };
        let destination = finished
            .and_then(|buffer| buffer.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(|mut destination| destination.sync().map(|()| destination));
        match destination {
            Ok(destination) => Ok(CompleteFile { path, destination }),
            Err(source) => Err(OutputError::Write { path, source }),
        }
    }

    /// The error for a failed write to this file.
    pub(crate) fn failed(&self, source: io::Error) -> OutputError {
        OutputError::Write { path: self.path.clone(), source }
    }
}

/// A file that is complete and only lacks its name. Dropped, it leaves no trace.
#[derive(Debug)]
#[must_use = "the file appears only when it is told to"]
pub struct CompleteFile {
    path: PathBuf,
    destination: Destination,
}

impl CompleteFile {
    /// Opens what was written, to read it back; none where that is not possible, as of a pipe.
    pub(crate) fn reopen(&self) -> io::Result<Option<File>> {
        match &self.destination {
            Destination::Temporary { file, .. } => file.reopen().map(Some),
            Destination::Direct(_) | Destination::Stdout(_) => Ok(None),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the file cannot be renamed.
    pub fn appear(self) -> Result<(), OutputError> {
        let path = self.path;
        self.destination.settle().map_err(|source| OutputError::Rename { path, source })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.write(bytes),
            Sink::Gzip(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.flush(),
            Sink::Gzip(sink) => sink.flush(),
        }
    }
}

/// Removes temporary files whose process was killed. Where it cannot be known whether a process
/// lives, nothing is removed.
#[cfg(target_os = "linux")]
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let middle = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let middle = middle.and_then(|name| name.strip_suffix(SUFFIX));
        let process = middle.and_then(|middle| middle.split_once('-'));
        let process: Option<u32> = process.and_then(|(process, _)| process.parse().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            fs::remove_file(entry.path()).ok();
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn remove_leftovers(_: &Path) {}

impl Destination {
    fn open(path: &Path) -> Result<Self, OutputError> {
        if is_standard(path) {
            return Ok(Self::Stdout(io::stdout()));
        }
        let failed = |source| OutputError::Create { path: path.to_path_buf(), source };
        let Ok(existing) = fs::metadata(path) else {
            return Self::temporary(path, path.to_path_buf());
        };
        if existing.is_dir() {
            let path = path.to_path_buf();
            return Err(OutputError::IsFolder { path });
        }
        if existing.permissions().readonly() {
            let path = path.to_path_buf();
            return Err(OutputError::ReadOnly { path });
        }
        if !existing.is_file() {
            let direct = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Self::Direct(direct));
        }
        // A rename replaces a link, not the file it points to.
        let opened = Self::temporary(path, fs::canonicalize(path).map_err(failed)?)?;
        if let Self::Temporary { file, .. } = &opened {
            let permissions = existing.permissions();
            file.as_file().set_permissions(permissions).map_err(failed)?;
        }
        Ok(opened)
    }

    fn temporary(path: &Path, target: PathBuf) -> Result<Self, OutputError> {
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            return Err(OutputError::NoFolder {
                path: path.to_path_buf(),
                folder: folder.to_path_buf(),
            });
        }
        remove_leftovers(folder);
        let mut builder = tempfile::Builder::new();
        let prefix = format!("{PREFIX}{}-", std::process::id());
        builder.prefix(&prefix).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The system takes the umask off, as for any new file.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder
            .tempfile_in(folder)
            .map_err(|source| OutputError::Create { path: path.to_path_buf(), source })?;
        Ok(Self::Temporary { file, target })
    }

    fn sync(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary { file, .. } => file.as_file().sync_all(),
            // A device or a pipe need not support syncing.
            Self::Direct(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }

    fn settle(self) -> io::Result<()> {
        match self {
            Self::Temporary { file, target } => {
                file.persist(target).map(drop).map_err(|error| error.error)
            }
            Self::Direct(_) | Self::Stdout(_) => Ok(()),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary { file, .. } => file.as_file_mut().write(bytes),
            Self::Direct(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary { file, .. } => file.as_file_mut().flush(),
            Self::Direct(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

/// "to standard output", but only the name of a file.
fn to(path: &Path) -> &'static str {
    if is_standard(path) { "to " } else { "" }
}

#[cfg(test)]
mod tests;
