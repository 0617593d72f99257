//! Why a table could not be read or written, whatever it holds.

use std::error::Error;
#[cfg(not(feature = "parquet"))]
use std::path::Path;
use std::path::PathBuf;

use crate::input::InputError;
use crate::output::OutputError;

/// The error of the Parquet library. Its type is not part of our interface, only its message is.
pub type Cause = Box<dyn Error + Send + Sync>;

/// Why a table could not be read or written. `path` is the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are the same nouns throughout, explained above")]
pub enum TableError {
    /// The name has no known extension.
    #[error("{}: unknown format; the name must end in one of {} (each also with .gz), \
             or be - for CSV on standard input or output", path.display(), known.join(", "))]
    UnknownFormat { path: PathBuf, known: &'static [&'static str] },
    /// The bytes cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file does not start with the Parquet magic number.
    #[error("{}: not a Parquet file", path.display())]
    NotParquet { path: PathBuf },
    /// The Parquet data is cut short, corrupt, or uses an unsupported feature.
    #[error("{}: cannot read the Parquet data", path.display())]
    Parquet { path: PathBuf, source: Cause },
    /// The Parquet data is compressed in a way that this build cannot undo.
    #[error("{}: compressed with {codec}, which is not supported; write it with zstd, snappy or gzip", path.display())]
    Compression { path: PathBuf, codec: String },
    /// The table has more columns than a Parquet file can have.
    #[error("{}: {columns} columns are too many for Parquet, which is limited to {most} here; write .csv or .tsv", path.display())]
    TooManyColumns { path: PathBuf, columns: usize, most: usize },
    /// The table cannot be written as Parquet.
    #[error("{}: cannot write as Parquet", path.display())]
    WriteParquet { path: PathBuf, source: Cause },
    /// A Parquet file, but the library was built without its feature `parquet`.
    #[error("{}: this build of rulebound has no Parquet support", path.display())]
    NoParquet { path: PathBuf },
    /// The output could not be created, written or finished.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl TableError {
    /// That of a file in Parquet, in a build that cannot read it.
    #[cfg(not(feature = "parquet"))]
    pub fn no_parquet(path: &Path) -> Self {
        Self::NoParquet { path: path.to_path_buf() }
    }

    /// The same where other formats are known than those of tables.
    pub(crate) fn with_known(self, known: &'static [&'static str]) -> Self {
        match self {
            Self::UnknownFormat { path, .. } => Self::UnknownFormat { path, known },
            other => other,
        }
    }
}
