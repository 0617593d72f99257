//! Reads a Parquet table, batch by batch, checking every class cell.
//!
//! Class columns are widened to 64-bit floating point; a batch keeps the columns as they were
//! beside that.

use std::fs::File;
use std::io::{self, Read, Seek};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::bad_cell::{BadCells, BadReason, Place};
use super::batch::{Original, ScoreBatch};
use super::error::ScoreError;
use super::header::Header;
use super::input::Input;
use super::kind::ScoreKind;
use super::widening::{is_number, missing, widen};
use super::{BATCH_BYTES, BATCH_CELLS};

const MAGIC: [u8; 4] = *b"PAR1";

/// Rows in a batch, at most: what the file says of its size is a lower bound.
const MOST_ROWS: usize = 1 << 16;

/// A Parquet table being read.
pub(super) struct ParquetReader {
    input: Input,
    kind: ScoreKind,
    header: Header,
    schema: SchemaRef,
    batches: Batches,
    row: u64,
    pub(super) batch_cells: usize,
}

enum Batches {
    Unread(Box<ParquetRecordBatchReaderBuilder<File>>),
    Reading(ParquetRecordBatchReader),
    Ended,
}

impl ParquetReader {
    pub(super) fn open(
        input: Input,
        kind: ScoreKind,
        classes: &[String],
        id_column: Option<&str>,
    ) -> Result<Self, ScoreError> {
        let mut file = input.file()?;
        if !is_parquet(&mut file).map_err(|source| input.failed(source))? {
            let path = input.path().to_path_buf();
            return Err(ScoreError::NotParquet { path });
        }
        let builder = ParquetRecordBatchReaderBuilder::try_new(file)
            .map_err(|source| unreadable(&input, source))?;
        if !is_plausible(builder.metadata()) {
            let reason = "a column lies before the start of the file".to_owned();
            return Err(unreadable(&input, ParquetError::General(reason)));
        }
        let schema = builder.schema().clone();
        if schema.fields().is_empty() {
            let path = input.path().to_path_buf();
            return Err(ScoreError::NoHeader { path });
        }
        let names = schema.fields().iter().map(|f| f.name().clone()).collect();
        let header = Header::new(&input, names, classes, id_column)?;
        for (_, column) in header.class_columns() {
            let field = schema.field(column);
            if !is_number(field.data_type()) {
                return Err(ScoreError::ClassType {
                    path: input.path().to_path_buf(),
                    column: column + 1,
                    name: field.name().clone(),
                    data_type: field.data_type().clone(),
                });
            }
        }
        Ok(Self {
            input,
            kind,
            header,
            schema,
            batches: Batches::Unread(Box::new(builder)),
            row: 0,
            batch_cells: BATCH_CELLS,
        })
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Whether there are class columns and all of them hold 32-bit floating point.
    pub(super) fn is_f32(&self) -> bool {
        let mut classes = self.header.class_columns().peekable();
        classes.peek().is_some()
            && classes
                .all(|(_, column)| self.schema.field(column).data_type() == &DataType::Float32)
    }

    pub(super) fn read(&mut self, batch: &mut ScoreBatch) -> Result<bool, ScoreError> {
        batch.rows = 0;
        batch.first_row = self.row + 1;
        batch.classes = self.header.classes();
        batch.id = self.header.id();
        let Some(rows) = self.next_rows()? else {
            batch.values.clear();
            return Ok(false);
        };
        let mut bad = BadCells::default();
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
        Err(bad.into_error(&self.input, complete))
    }

    fn next_rows(&mut self) -> Result<Option<RecordBatch>, ScoreError> {
        if let Batches::Unread(_) = &self.batches
            && let Batches::Unread(builder) = std::mem::replace(&mut self.batches, Batches::Ended)
        {
            let cells = self.batch_cells / self.header.classes().max(1);
            let most = cells.min(rows_in(BATCH_BYTES, builder.metadata()));
            let reader = builder.with_batch_size(most.clamp(1, MOST_ROWS)).build();
            self.batches = Batches::Reading(reader.map_err(|e| unreadable(&self.input, e))?);
        }
        let Batches::Reading(reader) = &mut self.batches else {
            return Ok(None);
        };
        for rows in reader {
            let rows = rows.map_err(|source| unreadable(&self.input, source.into()))?;
            if rows.num_rows() > 0 {
                return Ok(Some(rows));
            }
        }
        Ok(None)
    }

    /// Makes `rows` the batch's; bad cells go to `bad`, in the order of the rows.
    fn take_rows(&mut self, rows: RecordBatch, batch: &mut ScoreBatch, bad: &mut BadCells) {
        let classes = self.header.classes();
        batch.rows = rows.num_rows();
        batch.values.clear();
        batch.values.resize(batch.rows * classes, 0.0);
        for (class, column) in self.header.class_columns() {
            widen(rows.column(column), &mut batch.values[class..], classes);
        }
        batch.original = Original::Arrow(rows);
        if batch.values.iter().any(|&v| self.kind.refuses(v).is_some()) {
            self.collect_bad(batch, bad);
        }
        self.row += batch.rows as u64;
    }

    fn collect_bad(&self, batch: &ScoreBatch, bad: &mut BadCells) {
        for (row, values) in batch.values.chunks(self.header.classes()).enumerate() {
            for (class, column) in self.header.class_columns() {
                let Some(reason) = self.kind.refuses(values[class]) else {
                    continue;
                };
                let reason = match (&batch.original, reason) {
                    (Original::Arrow(rows), BadReason::NaN) => missing(rows.column(column), row),
                    _ => reason,
                };
                let place = Place { row: self.row + row as u64 + 1, line: None, column };
                bad.push(&self.header, place, reason, || {
                    let text = batch.text(row, column).unwrap_or_default().into_owned();
                    (text, batch.id(row).map(|id| id.into_owned()))
                });
            }
        }
    }
}

/// How many rows take about `bytes` unpacked, in the group with the widest rows.
fn rows_in(bytes: usize, metadata: &ParquetMetaData) -> usize {
    // Packed values may take next to nothing, unpacked ones do not.
    const LEAST: i64 = 8;
    let width = |chunk: &ColumnChunkMetaData, rows: i64| {
        let text = chunk.unencoded_byte_array_data_bytes().unwrap_or(0);
        (chunk.uncompressed_size().max(text) / rows.max(1)).max(LEAST)
    };
    let widths = metadata.row_groups().iter().map(|group| {
        let columns = group.columns().iter();
        columns.map(|chunk| width(chunk, group.num_rows())).sum()
    });
    let widest: i64 = widths.max().unwrap_or(LEAST);
    bytes / usize::try_from(widest).unwrap_or(usize::MAX).max(1)
}

/// Whether no place or size is negative: the parquet crate panics on these.
fn is_plausible(metadata: &ParquetMetaData) -> bool {
    let groups = metadata.row_groups().iter();
    groups.flat_map(|group| group.columns()).all(|chunk| {
        let start = chunk.dictionary_page_offset().unwrap_or(0);
        start.min(chunk.data_page_offset()).min(chunk.compressed_size()) >= 0
    })
}

fn is_parquet(file: &mut File) -> io::Result<bool> {
    let mut start = Vec::with_capacity(MAGIC.len());
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == MAGIC)
}

fn unreadable(input: &Input, source: ParquetError) -> ScoreError {
    ScoreError::Parquet { path: input.path().to_path_buf(), source }
}
