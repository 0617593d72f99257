//! A file of fields in rows, separated by commas or tabs.

use std::path::Path;

use super::error::ScoreError;
use crate::output::{CompleteFile, OutputError, OutputFile};

const BUFFER: usize = 1 << 16;

/// A text file being written, field by field.
pub(super) struct TextFile(csv::Writer<OutputFile>);

impl TextFile {
    pub(super) fn new(output: OutputFile, delimiter: u8) -> Self {
        let builder = &mut csv::WriterBuilder::new();
        let builder = builder.delimiter(delimiter).flexible(true).buffer_capacity(BUFFER);
        Self(builder.from_writer(output))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.get_ref().path()
    }

    /// Adds a field to the row, quoted where it must be.
    pub(super) fn push(&mut self, text: impl AsRef<[u8]>) -> Result<(), ScoreError> {
        let written = self.0.write_field(text);
        written.map_err(|error| self.failed(error))
    }

    pub(super) fn end_row(&mut self) -> Result<(), ScoreError> {
        let ended = self.0.write_record(None::<&[u8]>);
        ended.map_err(|error| self.failed(error))
    }

    /// Completes the file.
    pub(super) fn complete(self) -> Result<CompleteFile, ScoreError> {
        let path = self.path().to_path_buf();
        let output = self.0.into_inner().map_err(|error| {
            let source = error.into_error();
            OutputError::Write { path, source }
        })?;
        Ok(output.complete()?)
    }

    fn failed(&self, error: csv::Error) -> ScoreError {
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            other => std::io::Error::other(format!("{other:?}")),
        };
        self.0.get_ref().failed(source).into()
    }
}
