//! Writes the rows of a table again, with scores, decisions or names in the class columns.
//!
//! All three are a [`TableWriter`]. It takes the columns from the [`ScoreReader`], or from a
//! [`NewTable`] where no table is read, and the format from the name of the target. The target
//! appears only on `commit`; a writer that is dropped before that leaves nothing behind.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use super::array::writer::ArrayTable;
use super::batch::ScoreBatch;
use super::cell::{Cell, ClassCells, Holds};
use super::error::ScoreError;
use super::new_table::NewTable;
use super::outline::Outline;
#[cfg(feature = "parquet")]
use super::parquet::writer::ParquetWriter;
use super::reader::ScoreReader;
use super::text::writer::TextWriter;
use crate::array::{ArrayError, is_archive, is_array};
use crate::input::is_pipe;
use crate::output::{FinishedFile, OutputFile};
use crate::table::{Format, TableError, TableTarget};

/// The extensions of tables of scores that are written.
const WRITABLE: [&str; 5] = [".csv", ".tsv", ".tab", ".parquet", ".npy"];

fn format_of(target: TableTarget<'_>) -> Result<Format, TableError> {
    Format::of(target).map_err(|error| error.with_known(&WRITABLE))
}

/// Writes a table of scores: all columns of the input, in its order.
///
/// In Parquet the classes are `Float32` if all of the input's are, otherwise `Float64`. In text a
/// changed score is the shortest text that reads back as the same number.
pub type ScoreWriter = TableWriter<Scores>;

/// Writes a table of decisions: 1 where a class is predicted, otherwise 0 (`UInt8` in Parquet).
///
/// It has the columns of the input or, if that has an id column, only that and the classes.
pub type DecisionWriter = TableWriter<Decisions>;

/// Writes a table of names, for example the literal that decided each score (`Utf8` in Parquet).
///
/// It has the columns of the input or, if that has an id column, only that and the classes.
pub type NameWriter = TableWriter<Names>;

/// A table being written; [`ScoreWriter`], [`DecisionWriter`] and [`NameWriter`] say what it holds.
pub struct TableWriter<C> {
    table: Box<dyn WriteScores>,
    content: PhantomData<C>,
}

/// What the table of a [`TableWriter`] holds. The type of the constant is private, so there are
/// only these three.
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

/// A table of one format being written.
pub(super) trait WriteScores: Send {
    /// Writes the rows of a batch with these class cells.
    fn write(&mut self, batch: &ScoreBatch, cells: ClassCells<'_, '_>) -> Result<(), ScoreError>;

    /// Finishes writing the table.
    fn finish(self: Box<Self>) -> Result<FinishedFile, ScoreError>;
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
    /// If the format is unknown or the file cannot be created.
    pub fn create<'t>(
        target: impl Into<TableTarget<'t>>,
        reader: &ScoreReader,
    ) -> Result<Self, ScoreError> {
        Self::from_outline(target.into(), Outline::new(reader, C::HOLDS))
    }

    /// Starts the table at `target` for rows that are not read from a table.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_new<'t>(
        target: impl Into<TableTarget<'t>>,
        table: &NewTable,
    ) -> Result<Self, ScoreError> {
        Self::from_outline(target.into(), Outline::for_new(table, C::HOLDS))
    }

    /// Whether a table can be written there: to be asked before what takes long to compute.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn expect_writable(path: &Path) -> Result<(), ScoreError> {
        if is_archive(path) {
            return Err(ArrayError::OneArray { path: path.to_path_buf() }.into());
        }
        if !is_array(path) {
            format_of(path.into())?;
        }
        // A pipe can be opened only once.
        if !is_pipe(path) {
            drop(OutputFile::create(path)?);
        }
        Ok(())
    }

    fn from_outline(target: TableTarget<'_>, outline: Outline) -> Result<Self, ScoreError> {
        if target.layout.is_none() && is_array(target.path) {
            let output = OutputFile::create(target.path)?;
            let table = Box::new(ArrayTable::create(output, &outline)?);
            return Ok(Self { table, content: PhantomData });
        }
        let delimiter = format_of(target)?.layout.delimiter();
        let output = OutputFile::create(target.path)?;
        let table: Box<dyn WriteScores> = match delimiter {
            Some(delimiter) => Box::new(TextWriter::create(output, delimiter, outline)?),
            #[cfg(feature = "parquet")]
            None => Box::new(ParquetWriter::create(output, outline)?),
            #[cfg(not(feature = "parquet"))]
            None => return Err(TableError::no_parquet(output.path()).into()),
        };
        Ok(Self { table, content: PhantomData })
    }

    fn write_cells(
        &mut self,
        batch: &ScoreBatch,
        cells: ClassCells<'_, '_>,
    ) -> Result<(), ScoreError> {
        self.table.write(batch, cells)
    }

    /// Finishes writing and publishes the file under its name.
    ///
    /// # Errors
    /// If the last bytes cannot be written or the file cannot be renamed.
    pub fn commit(self) -> Result<(), ScoreError> {
        Ok(self.finish()?.publish()?)
    }

    /// Finishes writing without publishing the file, so that several outputs can be published
    /// together.
    ///
    /// # Errors
    /// If the last bytes cannot be written.
    pub fn finish(self) -> Result<FinishedFile, ScoreError> {
        self.table.finish()
    }
}

impl TableWriter<Scores> {
    /// Writes the rows of `batch`, with `cells` in the order of [`ScoreBatch::values`].
    ///
    /// # Errors
    /// If the output cannot be written, or its format cannot represent a cell that is passed
    /// through.
    ///
    /// # Panics
    /// If there is not exactly one cell per row and class.
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
    /// If there is not exactly one decision per row and class.
    pub fn write(&mut self, batch: &ScoreBatch, predicted: &[bool]) -> Result<(), ScoreError> {
        assert_eq!(predicted.len(), batch.values().len(), "one per score");
        self.write_cells(batch, ClassCells::Decisions(predicted))
    }
}

impl TableWriter<Names> {
    /// Writes the rows of `batch`; `name` is called for each row (from 0 in the batch) and class.
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
