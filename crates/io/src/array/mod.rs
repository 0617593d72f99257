//! Arrays of numbers as NumPy writes them: `.npy`, and `.npz` with several of them.
//!
//! | what | in |
//! |---|---|
//! | element type, order and shape | `header` |
//! | the members of a `.npz`, stored or deflated | `archive` |
//! | the rows of an array, one by one | `reader` |
//! | a new array, row by row | `writer` |
//!
//! An array has one row per example; one of a single dimension has one number per row. Invariant:
//! one row is held, except of arrays in Fortran order, which are held as a whole.

mod archive;
mod error;
mod header;
mod reader;
mod writer;

pub use error::ArrayError;
pub use header::Element;
pub use reader::ArrayReader;
pub(crate) use writer::ArrayWriter;

use std::path::Path;

use crate::input::inner_name;

/// Whether the name of a file says that it holds an array: `.npy` or `.npz`, or `.npy.gz`.
pub fn is_array(path: &Path) -> bool {
    is_archive(path) || extension(path).as_deref() == Some("npy")
}

/// Whether the name of a file says that it holds several arrays: `.npz`.
pub fn is_archive(path: &Path) -> bool {
    extension(path).as_deref() == Some("npz")
}

fn extension(path: &Path) -> Option<String> {
    let name = inner_name(path);
    Some(Path::new(&name).extension()?.to_str()?.to_owned())
}

#[cfg(test)]
mod tests;
