//! Parquet tables, batch by batch.
//!
//! Numbers and booleans are numeric (rounded to 32 bits), text is nominal, null is missing; a NaN
//! is missing too. Other types are refused unless the column is an identifier.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;

use super::super::error::DatasetError;
use super::super::lines::Bytes;
use super::Choice;
use super::cell::Cell;
use super::records::As;
use crate::output::is_gzip;

/// Cells of one batch, at most about.
const BATCH_CELLS: usize = 1 << 20;

/// A Parquet table of which the schema has been read.
pub(in super::super) struct ParquetTable {
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
            if !is_free {
                self.check_feature(place)?;
            }
            is_text.push(is_string(data_type));
        }
        Ok((self.names.clone(), is_text))
    }

    /// The error for a column that can be no feature.
    pub(super) fn check_feature(&self, column: usize) -> Result<(), DatasetError> {
        let field = self.schema.field(column);
        let data_type = field.data_type();
        if is_number(data_type) || is_string(data_type) {
            return Ok(());
        }
        Err(DatasetError::ColumnType {
            path: self.path.clone(),
            column: column + 1,
            name: field.name().clone(),
            data_type: data_type.clone(),
        })
    }

    /// The rows, with these columns; the others are not read.
    pub(super) fn rows(self, wanted: &[(usize, As)]) -> Result<ParquetRows, DatasetError> {
        let mut places: Vec<usize> = wanted.iter().map(|(column, _)| *column).collect();
        places.sort_unstable();
        places.dedup();
        let wanted = wanted.iter().map(|(column, kind)| {
            let data_type = match kind {
                As::Number if is_number(self.schema.field(*column).data_type()) => {
                    DataType::Float32
                }
                As::Number | As::Text => DataType::Utf8,
            };
            // Batches have the columns that are read, in the order of the file.
            (places.partition_point(|place| place < column), data_type)
        });
        let wanted: Vec<(usize, DataType)> = wanted.collect();
        let rows = (BATCH_CELLS / places.len().max(1)).clamp(1, 1 << 14);
        let mask = ProjectionMask::roots(self.builder.parquet_schema(), places);
        let reader = self.builder.with_batch_size(rows).with_projection(mask).build();
        let path = self.path;
        match reader {
            Ok(reader) => Ok(ParquetRows {
                path,
                reader,
                wanted,
                columns: Vec::new(),
                rows: 0,
                at: 0,
                row: 0,
            }),
            Err(source) => Err(DatasetError::Parquet { path, source }),
        }
    }
}

/// The rows of a Parquet table.
pub(in super::super) struct ParquetRows {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
    /// The columns of a batch that are wanted, and as what.
    wanted: Vec<(usize, DataType)>,
    /// They, in this batch.
    columns: Vec<ArrayRef>,
    rows: usize,
    /// The rows of the batch that have been gone to, and of the whole table.
    at: usize,
    row: u64,
}

impl ParquetRows {
    /// Goes to the next row; false after the last one.
    pub(super) fn advance(&mut self) -> Result<bool, DatasetError> {
        let failed =
            |source: ParquetError| DatasetError::Parquet { path: self.path.clone(), source };
        while self.at == self.rows {
            let Some(batch) = self.reader.next() else {
                return Ok(false);
            };
            let batch = batch.map_err(|error| failed(error.into()))?;
            let columns = self.wanted.iter();
            let columns = columns.map(|(place, wanted)| cast(batch.column(*place), wanted));
            let columns: Result<_, _> = columns.collect();
            self.columns = columns.map_err(|error| failed(error.into()))?;
            (self.rows, self.at) = (batch.num_rows(), 0);
        }
        self.at += 1;
        self.row += 1;
        Ok(true)
    }

    /// A cell of the row.
    pub(super) fn cell(&self, wanted: usize) -> Cell<'_> {
        let (array, row) = (&self.columns[wanted], self.at - 1);
        match array.data_type() {
            _ if array.is_null(row) => Cell::Missing,
            DataType::Float32 => {
                let number = array.as_primitive::<Float32Type>().value(row);
                if number.is_nan() { Cell::Missing } else { Cell::Number(number) }
            }
            _ => Cell::Text(array.as_string::<i32>().value(row)),
        }
    }

    /// The row, from 1.
    pub(super) fn row(&self) -> u64 {
        self.row
    }
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
