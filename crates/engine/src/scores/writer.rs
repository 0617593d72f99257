//! Writes the rows of a table again, with scores, decisions or names in the class columns.
//!
//! All three are one [`TableWriter`]. It takes the columns from the [`ScoreReader`], or from a
//! [`NewTable`] where no table is read, and the format from the name of the target. The target
//! appears only when `finish` is called; dropped before that, a writer leaves no trace.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use super::batch::ScoreBatch;
use super::cell::{Cell, ClassCells, Holds};
use super::error::ScoreError;
use super::new_table::NewTable;
use super::outline::Outline;
use super::parquet_writer::ParquetWriter;
use super::reader::ScoreReader;
use super::text_writer::TextWriter;
use crate::output::{CompleteFile, OutputFile};
use crate::table::Format;

/// Writes a table of scores: all columns of the input, in its order.
///
/// In Parquet the classes are `Float32` if all of the input's are, otherwise `Float64`. In text a
/// changed score is the shortest text that reads back as the same number.
pub type ScoreWriter = TableWriter<Scores>;

/// Writes a table of decisions: 1 where a class is predicted, otherwise 0 (`UInt8` in Parquet).
///
/// It has the columns of the input or, if that has an id column, only this and the classes.
pub type DecisionWriter = TableWriter<Decisions>;

/// Writes a table of names, for example who decided each score (`Utf8` in Parquet).
///
/// It has the columns of the input or, if that has an id column, only this and the classes.
pub type NameWriter = TableWriter<Names>;

/// A table being written; [`ScoreWriter`], [`DecisionWriter`] and [`NameWriter`] say what it holds.
pub struct TableWriter<C> {
    table: Table,
    content: PhantomData<C>,
}

/// What a table of a [`TableWriter`] holds. Nobody outside can name the type of the constant, so
/// there are these three.
pub trait Content {
    const HOLDS: Holds;
}

#[derive(Debug)]
pub enum Scores {}

#[derive(Debug)]
pub enum Decisions {}

#[derive(Debug)]
pub enum Names {}

impl Content for Scores {
    const HOLDS: Holds = Holds::Scores;
}

impl Content for Decisions {
    const HOLDS: Holds = Holds::Decisions;
}

impl Content for Names {
    const HOLDS: Holds = Holds::Names;
}

enum Table {
    Text(Box<TextWriter>),
    Parquet(Box<ParquetWriter>),
}

impl<C> fmt::Debug for TableWriter<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableWriter").finish_non_exhaustive()
    }
}

impl<C: Content> TableWriter<C> {
    /// Starts the table at `target` for the rows of `reader`.
    ///
    /// # Errors
    /// When the format is unknown or the file cannot be created.
    pub fn create(target: &Path, reader: &ScoreReader) -> Result<Self, ScoreError> {
        Self::of_outline(target, Outline::new(reader, C::HOLDS))
    }

    /// Starts the table at `target` for rows that are read from no table.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_new(target: &Path, table: &NewTable) -> Result<Self, ScoreError> {
        Self::of_outline(target, Outline::of_new(table, C::HOLDS))
    }

    fn of_outline(target: &Path, outline: Outline) -> Result<Self, ScoreError> {
        let delimiter = Format::from_path(target)?.layout.delimiter();
        let output = OutputFile::create(target)?;
        let table = match delimiter {
            Some(delimiter) => {
                Table::Text(Box::new(TextWriter::create(output, delimiter, outline)?))
            }
            None => Table::Parquet(Box::new(ParquetWriter::create(output, outline)?)),
        };
        Ok(Self { table, content: PhantomData })
    }

    fn write_cells(
        &mut self,
        batch: &ScoreBatch,
        cells: ClassCells<'_, '_>,
    ) -> Result<(), ScoreError> {
        match &mut self.table {
            Table::Text(table) => table.write(batch, cells),
            Table::Parquet(table) => table.write(batch, cells),
        }
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the last bytes cannot be written or the file cannot be renamed.
    pub fn finish(self) -> Result<(), ScoreError> {
        Ok(self.complete()?.appear()?)
    }

    /// Completes the file, which does not yet appear: for those who have several to show at once.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn complete(self) -> Result<CompleteFile, ScoreError> {
        match self.table {
            Table::Text(table) => table.complete(),
            Table::Parquet(table) => table.complete(),
        }
    }
}

impl TableWriter<Scores> {
    /// Writes the rows of `batch`, with `cells` in the order of [`ScoreBatch::values`].
    ///
    /// # Errors
    /// When the output cannot be written, or a cell that passes through cannot be held by the
    /// format of the output.
    ///
    /// # Panics
    /// When there is not one cell per row and class.
    pub fn write(&mut self, batch: &ScoreBatch, cells: &[Cell]) -> Result<(), ScoreError> {
        assert_eq!(cells.len(), batch.values().len(), "one cell per score");
        self.write_cells(batch, ClassCells::Scores(cells))
    }
}

impl TableWriter<Decisions> {
    /// Writes the rows of `batch`, with `predicted` in the order of [`ScoreBatch::values`].
    ///
    /// # Errors
    /// As [`ScoreWriter::write`].
    ///
    /// # Panics
    /// When there is not one decision per row and class.
    pub fn write(&mut self, batch: &ScoreBatch, predicted: &[bool]) -> Result<(), ScoreError> {
        assert_eq!(predicted.len(), batch.values().len(), "one per score");
        self.write_cells(batch, ClassCells::Decisions(predicted))
    }
}

impl TableWriter<Names> {
    /// Writes the rows of `batch`; `name` is asked for each row (from 0 in the batch) and class.
    ///
    /// # Errors
    /// As [`ScoreWriter::write`].
    pub fn write<'n>(
        &mut self,
        batch: &ScoreBatch,
        name: impl Fn(usize, usize) -> &'n str,
    ) -> Result<(), ScoreError> {
        self.write_cells(batch, ClassCells::Names(&name))
    }
}
