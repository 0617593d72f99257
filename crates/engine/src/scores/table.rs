//! A table being written, of either format.

use std::fmt;
use std::path::Path;

use super::batch::ScoreBatch;
use super::class_cells::{ClassCells, Content};
use super::error::ScoreError;
use super::format::{Format, Layout};
use super::new_table::NewTable;
use super::outline::Outline;
use super::parquet_writer::ParquetWriter;
use super::reader::ScoreReader;
use super::text_writer::TextWriter;
use crate::output::{CompleteFile, OutputFile};

pub(super) enum Table {
    Text(Box<TextWriter>),
    Parquet(Box<ParquetWriter>),
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

impl Table {
    pub(super) fn create(
        target: &Path,
        reader: &ScoreReader,
        content: Content,
    ) -> Result<Self, ScoreError> {
        Self::of_outline(target, Outline::new(reader, content))
    }

    pub(super) fn create_new(
        target: &Path,
        table: &NewTable,
        content: Content,
    ) -> Result<Self, ScoreError> {
        Self::of_outline(target, Outline::of_new(table, content))
    }

    fn of_outline(target: &Path, outline: Outline) -> Result<Self, ScoreError> {
        let layout = Format::of(target)?.layout;
        let output = OutputFile::create(target)?;
        let text = |output, delimiter, outline| {
            TextWriter::create(output, delimiter, outline).map(|table| Self::Text(Box::new(table)))
        };
        match layout {
            Layout::Csv => text(output, b',', outline),
            Layout::Tsv => text(output, b'\t', outline),
            Layout::Parquet => {
                ParquetWriter::create(output, outline).map(|table| Self::Parquet(Box::new(table)))
            }
        }
    }

    pub(super) fn write(
        &mut self,
        batch: &ScoreBatch,
        cells: ClassCells<'_, '_>,
    ) -> Result<(), ScoreError> {
        match self {
            Self::Text(table) => table.write(batch, cells),
            Self::Parquet(table) => table.write(batch, cells),
        }
    }

    pub(super) fn complete(self) -> Result<CompleteFile, ScoreError> {
        match self {
            Self::Text(table) => table.complete(),
            Self::Parquet(table) => table.complete(),
        }
    }
}
