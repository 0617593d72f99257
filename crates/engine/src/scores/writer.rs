//! Writes the rows of a table again, with scores, decisions or names in the class columns.
//!
//! All three take the columns from the [`ScoreReader`], or from a [`NewTable`] where no table is
//! read, and the format from the name of the target, and the target appears only when `finish` is
//! called. Dropped before that, they leave no trace.

use std::path::Path;

use super::batch::ScoreBatch;
use super::class_cells::{Cell, ClassCells, Content};
use super::error::ScoreError;
use super::new_table::NewTable;
use super::reader::ScoreReader;
use super::table::Table;
use crate::output::CompleteFile;

/// Writes a table of scores: all columns of the input, in its order.
///
/// In Parquet the classes are `Float32` if all of the input's are, otherwise `Float64`. In text a
/// changed score is the shortest text that reads back as the same number.
#[derive(Debug)]
pub struct ScoreWriter(Table);

impl ScoreWriter {
    /// Starts the table at `target` for the rows of `reader`.
    ///
    /// # Errors
    /// When the format is unknown or the file cannot be created.
    pub fn create(target: &Path, reader: &ScoreReader) -> Result<Self, ScoreError> {
        Table::create(target, reader, Content::Scores).map(Self)
    }

    /// Starts the table at `target` for rows that are read from no table.
    ///
    /// # Errors
    /// As [`ScoreWriter::create`].
    pub fn create_new(target: &Path, table: &NewTable) -> Result<Self, ScoreError> {
        Table::create_new(target, table, Content::Scores).map(Self)
    }

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
        self.0.write(batch, ClassCells::Scores(cells))
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the last bytes cannot be written or the file cannot be renamed.
    pub fn finish(self) -> Result<(), ScoreError> {
        Ok(self.complete()?.appear()?)
    }

    /// Completes the file, which does not yet appear: for who has several to show at once.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn complete(self) -> Result<CompleteFile, ScoreError> {
        self.0.complete()
    }
}

/// Writes a table of decisions: 1 where a class is predicted, otherwise 0 (`UInt8` in Parquet).
///
/// It has the columns of the input or, if that has an id column, only this and the classes.
#[derive(Debug)]
pub struct DecisionWriter(Table);

impl DecisionWriter {
    /// Starts the table at `target` for the rows of `reader`.
    ///
    /// # Errors
    /// As [`ScoreWriter::create`].
    pub fn create(target: &Path, reader: &ScoreReader) -> Result<Self, ScoreError> {
        Table::create(target, reader, Content::Decisions).map(Self)
    }

    /// Starts the table at `target` for rows that are read from no table.
    ///
    /// # Errors
    /// As [`ScoreWriter::create`].
    pub fn create_new(target: &Path, table: &NewTable) -> Result<Self, ScoreError> {
        Table::create_new(target, table, Content::Decisions).map(Self)
    }

    /// Writes the rows of `batch`, with `predicted` in the order of [`ScoreBatch::values`].
    ///
    /// # Errors
    /// As [`ScoreWriter::write`].
    ///
    /// # Panics
    /// When there is not one decision per row and class.
    pub fn write(&mut self, batch: &ScoreBatch, predicted: &[bool]) -> Result<(), ScoreError> {
        assert_eq!(predicted.len(), batch.values().len(), "one per score");
        self.0.write(batch, ClassCells::Decisions(predicted))
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// As [`ScoreWriter::finish`].
    pub fn finish(self) -> Result<(), ScoreError> {
        Ok(self.complete()?.appear()?)
    }

    /// Completes the file, which does not yet appear: for who has several to show at once.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn complete(self) -> Result<CompleteFile, ScoreError> {
        self.0.complete()
    }
}

/// Writes a table of names, for example who decided each score (`Utf8` in Parquet).
///
/// It has the columns of the input or, if that has an id column, only this and the classes.
#[derive(Debug)]
pub struct NameWriter(Table);

impl NameWriter {
    /// Starts the table at `target` for the rows of `reader`.
    ///
    /// # Errors
    /// As [`ScoreWriter::create`].
    pub fn create(target: &Path, reader: &ScoreReader) -> Result<Self, ScoreError> {
        Table::create(target, reader, Content::Names).map(Self)
    }

    /// Starts the table at `target` for rows that are read from no table.
    ///
    /// # Errors
    /// As [`ScoreWriter::create`].
    pub fn create_new(target: &Path, table: &NewTable) -> Result<Self, ScoreError> {
        Table::create_new(target, table, Content::Names).map(Self)
    }

    /// Writes the rows of `batch`; `name` is asked for each row (from 0 in the batch) and class.
    ///
    /// # Errors
    /// As [`ScoreWriter::write`].
    pub fn write<'n>(
        &mut self,
        batch: &ScoreBatch,
        name: impl Fn(usize, usize) -> &'n str,
    ) -> Result<(), ScoreError> {
        self.0.write(batch, ClassCells::Names(&name))
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// As [`ScoreWriter::finish`].
    pub fn finish(self) -> Result<(), ScoreError> {
        Ok(self.complete()?.appear()?)
    }

    /// Completes the file, which does not yet appear: for who has several to show at once.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn complete(self) -> Result<CompleteFile, ScoreError> {
        self.0.complete()
    }
}
