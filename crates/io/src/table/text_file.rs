//! Writes text tables, with fields separated by commas or tabs.

use std::path::Path;

use super::error::TableError;
use crate::output::{FinishedFile, OutputError, OutputFile};

const BUFFER: usize = 1 << 16;

/// A text file being written, field by field.
pub struct TextFile(csv::Writer<OutputFile>);

impl TextFile {
    /// Fields are quoted where necessary, or all of them.
    pub fn new(output: OutputFile, delimiter: u8, quote_all: bool) -> Self {
        let style = if quote_all { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let builder = &mut csv::WriterBuilder::new();
        let builder = builder.delimiter(delimiter).quote_style(style);
        Self(builder.flexible(true).buffer_capacity(BUFFER).from_writer(output))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.get_ref().path()
    }

    /// Adds a field to the row.
    pub fn push(&mut self, text: impl AsRef<[u8]>) -> Result<(), TableError> {
        let written = self.0.write_field(text);
        written.map_err(|error| self.failed(error))
    }

    /// Ends the row.
    pub fn end_row(&mut self) -> Result<(), TableError> {
        let ended = self.0.write_record(None::<&[u8]>);
        ended.map_err(|error| self.failed(error))
    }

    /// Adds a row.
    pub fn row<T: AsRef<[u8]>>(
        &mut self,
        fields: impl IntoIterator<Item = T>,
    ) -> Result<(), TableError> {
        fields.into_iter().try_for_each(|field| self.push(field))?;
        self.end_row()
    }

    /// Finishes writing the file.
    pub fn finish(self) -> Result<FinishedFile, TableError> {
        let path = self.path().to_path_buf();
        let output = self.0.into_inner().map_err(|error| {
            let source = error.into_error();
            OutputError::Write { path, source }
        })?;
        Ok(output.finish()?)
    }

    fn failed(&self, error: csv::Error) -> TableError {
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            other => std::io::Error::other(format!("{other:?}")),
        };
        self.0.get_ref().failed(source).into()
    }
}
