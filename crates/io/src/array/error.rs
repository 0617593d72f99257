//! Why an array could not be read or written.

use std::path::PathBuf;

use crate::input::{InputError, cut};
use crate::output::OutputError;

/// The first of many names.
fn some(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(20).map(|name| cut(name)).collect();
    if names.len() > shown.len() {
        shown.push(format!("and {} more", names.len() - shown.len()));
    }
    shown.join(", ")
}

/// Why an array could not be read or written. `path` is the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are the same nouns throughout, explained above")]
pub enum ArrayError {
    /// The bytes cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The output could not be created, written or finished.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The file does not begin as an array of NumPy does.
    #[error("{}: not a NumPy array", path.display())]
    NotAnArray { path: PathBuf },
    /// A version of the format that does not exist, or not yet.
    #[error("{}: version {major}.{minor} of NumPy's format is not known; there are 1.0, 2.0 and 3.0", path.display())]
    Version { path: PathBuf, major: u8, minor: u8 },
    /// The header of the array is damaged; `text` is its text.
    #[error("{}: the header of the array cannot be read: {text:?}", path.display())]
    Header { path: PathBuf, text: String },
    /// The elements are not numbers.
    #[error("{}: elements of type {found} are not supported; save the array as float32", path.display())]
    Element { path: PathBuf, found: String },
    /// The array has not one or two dimensions, or rows of too many bytes.
    #[error("{}: an array of shape ({shape}) is not a table with one row per example", path.display())]
    Shape { path: PathBuf, shape: String },
    /// The file ends before the last row.
    #[error("{}: the file ends in row {row} of {rows}", path.display())]
    CutOff { path: PathBuf, row: u64, rows: u64 },
    /// The file of several arrays is damaged, or uses what is not supported.
    #[error("{}: {reason}", path.display())]
    Archive { path: PathBuf, reason: &'static str },
    /// The file has no array of a wanted name.
    #[error("{}: no array named {wanted}; there is {}. Save the one that is meant under that name, or alone as .npy", path.display(), some(found))]
    NoMember { path: PathBuf, wanted: String, found: Vec<String> },
    /// Names of columns were needed and not given.
    #[error("{}: an array has no column names", path.display())]
    NoNames { path: PathBuf },
    /// There are not as many names as columns.
    #[error("{}: rows of {columns} numbers, but {names} names", path.display())]
    NameCount { path: PathBuf, columns: usize, names: usize },
    /// An array cannot hold what is to be written.
    #[error("{}: an array holds numbers, not {what}", path.display())]
    NotNumbers { path: PathBuf, what: &'static str },
    /// Archives are read, not written.
    #[error("{}: write one array as .npy; .npz is only read", path.display())]
    OneArray { path: PathBuf },
    /// Two arrays that belong together have different numbers of rows.
    #[error("{} has {found} rows, but {} has {expected}", path.display(), first.display())]
    RowCount { path: PathBuf, found: u64, first: PathBuf, expected: u64 },
}
