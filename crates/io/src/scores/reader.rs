//! Reads a table of scores of any format.

use std::fmt;
use std::path::Path;

use super::array::reader::NamelessReader;
use super::batch::ScoreBatch;
use super::error::ScoreError;
use super::header::{Column, Header};
use super::kind::{Accepts, ScoreKind};
#[cfg(feature = "parquet")]
use super::parquet::reader::ParquetReader;
use super::text::reader::TextReader;
use crate::array::is_array;
use crate::table::Format;
#[cfg(not(feature = "parquet"))]
use crate::table::TableError;
#[cfg(feature = "parquet")]
use crate::table::parquet::ParquetSchema;

/// The extensions of tables of scores that are read.
const READABLE: [&str; 6] = [".csv", ".tsv", ".tab", ".parquet", ".npy", ".npz"];

/// A table of scores being read; see the [module](super) for an example.
pub struct ScoreReader {
    table: Box<dyn ReadScores>,
}

/// A table of scores of one format.
pub(super) trait ReadScores: Send {
    fn header(&self) -> &Header;

    fn header_mut(&mut self) -> &mut Header;

    /// The most class cells that a batch holds, unless a single row has more.
    fn set_batch_cells(&mut self, cells: usize);

    /// Whether there are class columns and all of them hold 32-bit floating point.
    fn is_f32(&self) -> bool;

    /// The next rows; false after the last one.
    fn read(&mut self, batch: &mut ScoreBatch) -> Result<bool, ScoreError>;

    /// The schema of a Parquet table.
    #[cfg(feature = "parquet")]
    fn schema(&self) -> Option<&ParquetSchema> {
        None
    }
}

impl fmt::Debug for ScoreReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ScoreReader");
        shown.field("columns", &self.columns());
        shown.finish_non_exhaustive()
    }
}

impl ScoreReader {
    /// Opens the table at `path` and reads its header.
    ///
    /// A column belongs to a class if its name, ignoring surrounding spaces, is one of `classes`;
    /// not every class needs a column. The column named `id_column` identifies the rows in messages
    /// and is never taken for a class.
    ///
    /// # Errors
    /// If the format is unknown, the file cannot be read, there is no header, a class or the id has
    /// two columns, the id has none, or a class column of a Parquet file does not hold numbers.
    pub fn open(
        path: &Path,
        kind: ScoreKind,
        classes: &[String],
        id_column: Option<&str>,
    ) -> Result<Self, ScoreError> {
        Self::open_named(path, kind, classes, id_column, None)
    }

    /// As [`open`](Self::open), with names for columns that have none: those of an array
    /// (`.npy`, `.npz`), and the numbers in the lists of a Parquet table that has one column of
    /// lists and no column for any of the classes.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if there are not as many names as numbers in a row.
    pub fn open_named(
        path: &Path,
        kind: ScoreKind,
        classes: &[String],
        id_column: Option<&str>,
        names: Option<&[String]>,
    ) -> Result<Self, ScoreError> {
        Self::open_accepting(path, Accepts::Scores(kind), classes, id_column, names)
    }

    /// As [`open_named`](Self::open_named), for labels: any number, and cells without one, which are
    /// NaN in a batch.
    pub fn open_labels(
        path: &Path,
        classes: &[String],
        id_column: Option<&str>,
        names: Option<&[String]>,
    ) -> Result<Self, ScoreError> {
        Self::open_accepting(path, Accepts::Labels, classes, id_column, names)
    }

    fn open_accepting(
        path: &Path,
        accepts: Accepts,
        classes: &[String],
        id_column: Option<&str>,
        names: Option<&[String]>,
    ) -> Result<Self, ScoreError> {
        if is_array(path) {
            if let Some(name) = id_column {
                let (path, name) = (path.to_path_buf(), name.to_owned());
                return Err(ScoreError::NoIdColumn { path, name, columns: Vec::new() });
            }
            let reader = NamelessReader::open_array(path, accepts, classes, names)?;
            return Ok(Self { table: Box::new(reader) });
        }
        let format = Format::from_path(path).map_err(|error| error.with_known(&READABLE))?;
        if let Some(delimiter) = format.layout.delimiter() {
            let reader = TextReader::open(path, delimiter, accepts, classes, id_column)?;
            return Ok(Self { table: Box::new(reader) });
        }
        Self::open_parquet(path, accepts, classes, id_column, names)
    }

    #[cfg(feature = "parquet")]
    fn open_parquet(
        path: &Path,
        accepts: Accepts,
        classes: &[String],
        id_column: Option<&str>,
        names: Option<&[String]>,
    ) -> Result<Self, ScoreError> {
        if let Some(names) = names
            && let Some(reader) =
                NamelessReader::open_lists(path, accepts, classes, id_column, names)?
        {
            return Ok(Self { table: Box::new(reader) });
        }
        let reader = ParquetReader::open(path, accepts, classes, id_column)?;
        Ok(Self { table: Box::new(reader) })
    }

    #[cfg(not(feature = "parquet"))]
    fn open_parquet(
        path: &Path,
        _: Accepts,
        _: &[String],
        _: Option<&str>,
        _: Option<&[String]>,
    ) -> Result<Self, ScoreError> {
        Err(TableError::no_parquet(path).into())
    }

    /// Sets the most class cells that a batch holds (default: a million), unless a single row has
    /// more. Must be called before the first [`read`](Self::read).
    #[must_use]
    pub fn with_batch_cells(mut self, cells: usize) -> Self {
        self.table.set_batch_cells(cells);
        self
    }

    /// Keeps the marked classes and renumbers them; only classes without a column may go. Must be
    /// called before the first [`read`](Self::read).
    ///
    /// # Panics
    /// If a class that goes has a column.
    pub fn keep_classes(&mut self, keep: &[bool]) {
        let header = self.table.header_mut();
        let mut gone = (0..keep.len()).filter(|&class| !keep[class]);
        assert!(gone.all(|class| header.class_column(class).is_none()), "a class has a column");
        header.keep_classes(keep);
    }

    /// All columns, in file order.
    pub fn columns(&self) -> &[Column] {
        self.header().columns()
    }

    /// The position among [`columns`](Self::columns) of the column of `class`, if it has one.
    pub fn class_column(&self, class: usize) -> Option<usize> {
        self.header().class_column(class)
    }

    /// The position among [`columns`](Self::columns) of the id column, if one was named.
    pub fn id_column(&self) -> Option<usize> {
        self.header().id()
    }

    /// Whether all class columns hold 32-bit floating-point numbers.
    ///
    /// A [`Cell::Changed`](super::Cell::Changed) is then rounded to 32 bits when it is written, so
    /// a caller that needs the written number must round it first.
    pub fn is_f32(&self) -> bool {
        self.table.is_f32()
    }

    /// Fills `batch` with the next rows; false, and an empty batch, after the last one.
    ///
    /// # Errors
    /// If the file cannot be read, a row has the wrong number of fields, or a class cell is not a
    /// valid score. In the last case the rest of the file is read and checked too, and
    /// [`ScoreError::BadCells`] covers the whole file. Do not continue reading after an error.
    pub fn read(&mut self, batch: &mut ScoreBatch) -> Result<bool, ScoreError> {
        self.table.read(batch)
    }

    pub(super) fn header(&self) -> &Header {
        self.table.header()
    }

    /// The schema of a Parquet table.
    #[cfg(feature = "parquet")]
    pub(super) fn schema(&self) -> Option<&ParquetSchema> {
        self.table.schema()
    }
}
