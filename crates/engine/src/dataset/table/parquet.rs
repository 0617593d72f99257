//! Parquet tables, batch by batch.
//!
//! Numbers and booleans are numeric (rounded to 32 bits), text is nominal, null is missing; a NaN
//! is missing too. Other types are refused unless the column is an identifier.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;

use super::super::error::DatasetError;
use super::super::lines::Bytes;
use super::super::mistake::Mistakes;
use super::Choice;
use super::plan::Role;
use super::sink::{Cell, Sink};
use crate::output::is_gzip;

/// Cells of one batch, at most about.
const BATCH_CELLS: usize = 1 << 20;

/// A Parquet table being read.
pub(super) struct ParquetTable {
    path: PathBuf,
    builder: ParquetRecordBatchReaderBuilder<File>,
    schema: SchemaRef,
    names: Vec<String>,
}

impl ParquetTable {
    pub(super) fn open(path: &Path) -> Result<Self, DatasetError> {
        let failed = |source| DatasetError::Parquet { path: path.to_path_buf(), source };
        let file = unpacked(path)?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(failed)?;
        // The parquet crate panics on places before the start of the file.
        let mut chunks = builder.metadata().row_groups().iter().flat_map(|group| group.columns());
        let is_plausible = chunks.all(|chunk| {
            let start = chunk.dictionary_page_offset().unwrap_or(0);
            start.min(chunk.data_page_offset()).min(chunk.compressed_size()) >= 0
        });
        if !is_plausible {
            let reason = "a column lies before the start of the file".to_owned();
            return Err(failed(ParquetError::General(reason)));
        }
        let schema = builder.schema().clone();
        let names = schema.fields().iter().map(|field| field.name().clone()).collect();
        Ok(Self { path: path.to_path_buf(), builder, schema, names })
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns, and which of them hold text.
    pub(super) fn columns(
        &self,
        choice: Choice<'_>,
    ) -> Result<(Vec<String>, Vec<bool>), DatasetError> {
        let labels = choice.labels.places(&self.names, &self.path)?;
        let mut is_text = Vec::with_capacity(self.names.len());
        for (place, field) in self.schema.fields().iter().enumerate() {
            let data_type = field.data_type();
            let is_free =
                labels.binary_search(&place).is_ok() || choice.identifiers.contains(field.name());
            if !is_free && !is_number(data_type) && !is_string(data_type) {
                return Err(DatasetError::ColumnType {
                    path: self.path.clone(),
                    column: place + 1,
                    name: field.name().clone(),
                    data_type: data_type.clone(),
                });
            }
            is_text.push(is_string(data_type));
        }
        Ok((self.names.clone(), is_text))
    }

    /// Reads all rows into `sink`.
    pub(super) fn read(self, sink: &mut Sink, mistakes: &mut Mistakes) -> Result<(), DatasetError> {
        let path = self.path;
        let failed = |source| DatasetError::Parquet { path: path.clone(), source };
        let rows = (BATCH_CELLS / self.names.len().max(1)).clamp(1, 1 << 14);
        let reader = self.builder.with_batch_size(rows).build().map_err(failed)?;
        let mut row = 0;
        for batch in reader {
            let batch = batch.map_err(|error| failed(error.into()))?;
            take_batch(&batch, &mut row, sink, mistakes).map_err(|error| match error {
                BatchError::Arrow(error) => failed(error.into()),
                BatchError::Dataset(error) => error,
            })?;
        }
        Ok(())
    }
}

enum BatchError {
    Arrow(arrow_schema::ArrowError),
    Dataset(DatasetError),
}

fn take_batch(
    batch: &RecordBatch,
    row: &mut u64,
    sink: &mut Sink,
    mistakes: &mut Mistakes,
) -> Result<(), BatchError> {
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(batch.num_columns());
    for (role, column) in sink.roles().iter().zip(batch.columns()) {
        let wanted = match role {
            Role::Numeric(_) => DataType::Float32,
            Role::Label(_) if is_number(column.data_type()) => DataType::Float32,
            _ => DataType::Utf8,
        };
        columns.push(cast(column, &wanted).map_err(BatchError::Arrow)?);
    }
    for place in 0..batch.num_rows() {
        *row += 1;
        for (column, array) in columns.iter().enumerate() {
            let cell = match array.data_type() {
                _ if array.is_null(place) => Cell::Missing,
                DataType::Float32 => {
                    let number = array.as_primitive::<Float32Type>().value(place);
                    if number.is_nan() { Cell::Missing } else { Cell::Number(number) }
                }
                _ => Cell::Text(array.as_string::<i32>().value(place)),
            };
            sink.cell(column, cell, *row, mistakes);
        }
        sink.end_row(mistakes.is_empty()).map_err(BatchError::Dataset)?;
    }
    Ok(())
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric() || *data_type == DataType::Boolean
}

fn is_string(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_string(values),
        _ => false,
    }
}

/// The bytes as a file to seek in; compressed ones go to an anonymous temporary file.
fn unpacked(path: &Path) -> Result<File, DatasetError> {
    let opened = |source: io::Error| DatasetError::Open { path: path.to_path_buf(), source };
    let mut file = File::open(path).map_err(opened)?;
    let mut start = Vec::new();
    file.by_ref().take(4).read_to_end(&mut start).map_err(opened)?;
    if !is_gzip(path) && start == *b"PAR1" {
        file.rewind().map_err(opened)?;
        return Ok(file);
    }
    if !is_gzip(path) {
        let source = ParquetError::General("the file does not start like Parquet".to_owned());
        return Err(DatasetError::Parquet { path: path.to_path_buf(), source });
    }
    let mut bytes = Bytes::open(path)?;
    let mut whole = tempfile::tempfile().map_err(opened)?;
    io::copy(&mut bytes, &mut whole).map_err(|source| bytes.failed(0, source))?;
    whole.rewind().map_err(opened)?;
    Ok(whole)
}
