//! Reads a Parquet table, batch by batch, checking every class cell.
//!
//! Class columns are widened to 64-bit floating point; a batch also keeps the columns as they were.

use std::path::{Path, PathBuf};

use crate::input::Excerpt;
use crate::scores::bad_cell::{BadCell, BadReason};
use crate::scores::batch::{Original, ScoreBatch};
use crate::scores::error::ScoreError;
use crate::scores::header::{Header, Place, bad_cells};
use crate::scores::kind::Accepts;
use crate::scores::reader::ReadScores;
use crate::scores::{BATCH_BYTES, BATCH_CELLS};
use crate::table::parquet::{Batches, Missing, ParquetBatch, ParquetSchema, ParquetTable};

/// The most rows in a batch: the size that the file states is only a lower bound.
const MOST_ROWS: usize = 1 << 16;

/// A Parquet table being read.
pub(in crate::scores) struct ParquetReader {
    path: PathBuf,
    accepts: Accepts,
    header: Header,
    schema: ParquetSchema,
    progress: Progress,
    row: u64,
    batch_cells: usize,
}

enum Progress {
    Unread(Box<ParquetTable>),
    Reading(Box<Batches>),
    Ended,
}

impl ParquetReader {
    pub(in crate::scores) fn open(
        path: &Path,
        accepts: Accepts,
        classes: &[String],
        id_column: Option<&str>,
    ) -> Result<Self, ScoreError> {
        let table = ParquetTable::open(path)?;
        let path = path.to_path_buf();
        if table.names().is_empty() {
            return Err(ScoreError::NoHeader { path });
        }
        let header = Header::new(&path, table.names().to_vec(), classes, id_column)?;
        let schema = table.schema().clone();
        for (_, column) in header.class_columns() {
            if !schema.is_plain_number(column) {
                let name = table.names()[column].clone();
                let data_type = schema.type_name(column);
                return Err(ScoreError::ClassType { path, column: column + 1, name, data_type });
            }
        }
        let progress = Progress::Unread(Box::new(table));
        Ok(Self { path, accepts, header, schema, progress, row: 0, batch_cells: BATCH_CELLS })
    }

    fn next_rows(&mut self) -> Result<Option<ParquetBatch>, ScoreError> {
        if let Progress::Unread(_) = &self.progress
            && let Progress::Unread(table) = std::mem::replace(&mut self.progress, Progress::Ended)
        {
            let cells = self.batch_cells / self.header.classes().max(1);
            let most = cells.min(table.rows_in(BATCH_BYTES)).clamp(1, MOST_ROWS);
            self.progress = Progress::Reading(Box::new(table.batches(most)?));
        }
        match &mut self.progress {
            Progress::Reading(batches) => Ok(batches.next()?),
            Progress::Unread(_) | Progress::Ended => Ok(None),
        }
    }

    /// Moves `rows` into the batch; bad cells are added to `bad` in row order.
    fn take_rows(
        &mut self,
        rows: ParquetBatch,
        batch: &mut ScoreBatch,
        bad: &mut Excerpt<BadCell>,
    ) {
        let classes = self.header.classes();
        batch.rows = rows.rows();
        batch.values.clear();
        batch.values.resize(batch.rows * classes, 0.0);
        for (class, column) in self.header.class_columns() {
            rows.widen(column, &mut batch.values[class..], classes);
        }
        batch.original = Original::Parquet(rows);
        if batch.values.iter().any(|&v| v.is_nan() || self.accepts.rejects(v).is_some()) {
            self.collect_bad(batch, bad);
        }
        self.row += batch.rows as u64;
    }

    fn collect_bad(&self, batch: &ScoreBatch, bad: &mut Excerpt<BadCell>) {
        for (row, values) in batch.values.chunks(self.header.classes()).enumerate() {
            for (class, column) in self.header.class_columns() {
                let is_nan = values[class].is_nan();
                let reason = self.accepts.rejects(values[class]);
                let Some(reason) = reason.or(is_nan.then_some(BadReason::NaN)) else {
                    continue;
                };
                let reason = match (&batch.original, reason) {
                    (Original::Parquet(rows), BadReason::NaN) => match rows.missing(column, row) {
                        Missing::Null | Missing::NaN if self.accepts == Accepts::Labels => continue,
                        Missing::Null => BadReason::Empty,
                        Missing::Inexact => BadReason::Inexact,
                        Missing::NaN => BadReason::NaN,
                    },
                    _ => reason,
                };
                let place = Place { row: self.row + row as u64 + 1, line: None, column };
                self.header.note(bad, place, reason, || {
                    let text = batch.text(row, column).unwrap_or_default().into_owned();
                    (text, batch.id(row).map(|id| id.into_owned()))
                });
            }
        }
    }
}

impl ReadScores for ParquetReader {
    fn header(&self) -> &Header {
        &self.header
    }

    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }

    fn set_batch_cells(&mut self, cells: usize) {
        self.batch_cells = cells;
    }

    fn schema(&self) -> Option<&ParquetSchema> {
        Some(&self.schema)
    }

    /// Whether there are class columns and all of them hold 32-bit floating point.
    fn is_f32(&self) -> bool {
        let mut classes = self.header.class_columns().peekable();
        classes.peek().is_some() && classes.all(|(_, column)| self.schema.is_f32(column))
    }

    fn read(&mut self, batch: &mut ScoreBatch) -> Result<bool, ScoreError> {
        batch.rows = 0;
        batch.first_row = self.row + 1;
        batch.classes = self.header.classes();
        batch.id = self.header.id();
        let Some(rows) = self.next_rows()? else {
            batch.values.clear();
            return Ok(false);
        };
        let mut bad = Excerpt::default();
        self.take_rows(rows, batch, &mut bad);
        if bad.is_empty() {
            return Ok(true);
        }
        let complete = loop {
            match self.next_rows() {
                Ok(Some(rows)) => self.take_rows(rows, batch, &mut bad),
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        Err(bad_cells(&self.path, bad, complete))
    }
}
