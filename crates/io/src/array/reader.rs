//! The rows of an array.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::archive::open_member;
use super::error::ArrayError;
use super::header::{Element, Header};
use super::is_archive;
use crate::input::{Bytes, InputError};

/// An array being read row by row.
pub struct ArrayReader {
    path: PathBuf,
    header: Header,
    stream: Box<dyn Read + Send>,
    /// The bytes of a row, or of all rows if they are in Fortran order.
    bytes: Vec<u8>,
    is_loaded: bool,
    row: u64,
}

impl ArrayReader {
    /// Opens an array; of a `.npz` the member with one of the `wanted` names, or the only one.
    pub fn open(path: &Path, wanted: &[&str]) -> Result<Self, ArrayError> {
        let mut stream: Box<dyn Read + Send> = match is_archive(path) {
            true => open_member(path, wanted)?.1,
            false => Box::new(Bytes::open(path)?),
        };
        let header = Header::read(&mut stream, path, |error| failed(path, error))?;
        let path = path.to_path_buf();
        Ok(Self { path, header, stream, bytes: Vec::new(), is_loaded: false, row: 0 })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many rows the header says there are.
    pub fn rows(&self) -> u64 {
        self.header.rows
    }

    /// How many numbers a row has.
    pub fn columns(&self) -> usize {
        self.header.columns
    }

    /// What one number is.
    pub fn element(&self) -> Element {
        self.header.element
    }

    /// The number of the last row read, from 1.
    pub fn row(&self) -> u64 {
        self.row
    }

    /// Reads the next row; false after the last one.
    ///
    /// # Panics
    /// If there is not one place per column.
    pub fn read(&mut self, row: &mut [f64]) -> Result<bool, ArrayError> {
        let Header { element, is_big_endian, is_fortran, rows, columns } = self.header;
        assert_eq!(row.len(), columns);
        if self.row >= rows {
            return Ok(false);
        }
        let size = element.size();
        let cut_off = |path: &Path, row| ArrayError::CutOff { path: path.to_path_buf(), row, rows };
        if !is_fortran {
            self.bytes.resize(columns * size, 0);
            let read = self.stream.read_exact(&mut self.bytes);
            read.map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => cut_off(&self.path, self.row + 1),
                _ => failed(&self.path, error),
            })?;
        } else if !self.is_loaded {
            let all = rows.saturating_mul((columns * size) as u64);
            let read = self.stream.by_ref().take(all).read_to_end(&mut self.bytes);
            read.map_err(|error| failed(&self.path, error))?;
            if (self.bytes.len() as u64) < all {
                return Err(cut_off(&self.path, 1));
            }
            self.is_loaded = true;
        }
        let place = |column: usize| match is_fortran {
            true => (column as u64 * rows + self.row) as usize,
            false => column,
        };
        for (column, number) in row.iter_mut().enumerate() {
            let found = &self.bytes[place(column) * size..][..size];
            let mut bytes = [0; 8];
            bytes[..size].copy_from_slice(found);
            if is_big_endian {
                bytes[..size].reverse();
            }
            *number = element.number(bytes);
        }
        self.row += 1;
        Ok(true)
    }
}

fn failed(path: &Path, source: io::Error) -> ArrayError {
    InputError::Read { path: path.to_path_buf(), line: 0, source }.into()
}
