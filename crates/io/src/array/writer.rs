//! A new array, row by row.
//!
//! The number of rows is at the beginning of the file and known at the end, so the rows go to an
//! anonymous temporary file first.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use super::error::ArrayError;
use super::header::new_header;
use crate::output::{FinishedFile, OutputFile};

/// An array being written.
pub(crate) struct ArrayWriter {
    output: OutputFile,
    rows: BufWriter<File>,
    descr: &'static str,
    columns: usize,
    count: u64,
}

impl ArrayWriter {
    /// Begins an array of elements described as NumPy does (`<f4`), without rows.
    pub fn create(
        output: OutputFile,
        descr: &'static str,
        columns: usize,
    ) -> Result<Self, ArrayError> {
        let rows = tempfile::tempfile().map_err(|error| output.failed(error))?;
        Ok(Self { output, rows: BufWriter::new(rows), descr, columns, count: 0 })
    }

    /// Adds rows: their elements, the least significant byte first.
    pub fn write(&mut self, rows: u64, bytes: &[u8]) -> Result<(), ArrayError> {
        self.count += rows;
        Ok(self.rows.write_all(bytes).map_err(|error| self.output.failed(error))?)
    }

    /// Finishes writing the file.
    pub fn finish(mut self) -> Result<FinishedFile, ArrayError> {
        let header = new_header(self.descr, self.count, self.columns);
        let copied = (|| {
            self.rows.flush()?;
            self.output.write_all(&header)?;
            let file = self.rows.get_mut();
            file.rewind()?;
            io::copy(file, &mut self.output)
        })();
        copied.map_err(|error| self.output.failed(error))?;
        Ok(self.output.finish()?)
    }
}
