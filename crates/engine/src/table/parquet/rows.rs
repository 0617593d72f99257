//! Selected columns of a table, row by row, each as numbers or as text.
//!
//! Numbers are rounded to 32 bits, booleans are 0 and 1; null is missing, and so is NaN. Invariant:
//! one batch is held, of about a million cells.

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use super::{ParquetTable, unreadable};
use crate::table::TableError;

/// Cells of one batch, approximately at most.
const BATCH_CELLS: usize = 1 << 20;

/// How a column is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum As {
    /// As a number, where it holds numbers; text stays text.
    Number,
    /// As text, whatever it holds.
    Text,
}

/// One cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ParquetCell<'a> {
    Missing,
    Number(f32),
    Text(&'a str),
}

/// The rows of a Parquet table.
pub(crate) struct ParquetRows {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
    /// The wanted columns of a batch, and how to read them.
    wanted: Vec<(usize, DataType)>,
    /// The wanted columns of the current batch.
    columns: Vec<ArrayRef>,
    rows: usize,
    /// The number of the current row, in the batch and in the table.
    at: usize,
    row: u64,
}

impl ParquetRows {
    pub(super) fn new(table: ParquetTable, wanted: &[(usize, As)]) -> Result<Self, TableError> {
        let mut places: Vec<usize> = wanted.iter().map(|(column, _)| *column).collect();
        places.sort_unstable();
        places.dedup();
        let wanted = wanted.iter().map(|(column, kind)| {
            let data_type = match kind {
                As::Number if table.schema.is_number(*column) => DataType::Float32,
                As::Number | As::Text => DataType::Utf8,
            };
            // Batches have only the columns that are read, in file order.
            (places.partition_point(|place| place < column), data_type)
        });
        let wanted: Vec<(usize, DataType)> = wanted.collect();
        let rows = (BATCH_CELLS / places.len().max(1)).clamp(1, 1 << 14);
        let mask = ProjectionMask::roots(table.builder.parquet_schema(), places);
        let reader = table.builder.with_batch_size(rows).with_projection(mask).build();
        let reader = reader.map_err(|error| unreadable(&table.path, error))?;
        Ok(Self { path: table.path, reader, wanted, columns: Vec::new(), rows: 0, at: 0, row: 0 })
    }

    /// Advances to the next row; false after the last one.
    pub(crate) fn advance(&mut self) -> Result<bool, TableError> {
        while self.at == self.rows {
            let Some(batch) = self.reader.next() else {
                return Ok(false);
            };
            let batch = batch.map_err(|error| unreadable(&self.path, error))?;
            let columns = self.wanted.iter();
            let columns = columns.map(|(place, wanted)| cast(batch.column(*place), wanted));
            let columns: Result<_, _> = columns.collect();
            self.columns = columns.map_err(|error| unreadable(&self.path, error))?;
            (self.rows, self.at) = (batch.num_rows(), 0);
        }
        self.at += 1;
        self.row += 1;
        Ok(true)
    }

    /// A cell of the row, by its index in the list of wanted columns.
    pub(crate) fn cell(&self, wanted: usize) -> ParquetCell<'_> {
        let (array, row) = (&self.columns[wanted], self.at - 1);
        match array.data_type() {
            _ if array.is_null(row) => ParquetCell::Missing,
            DataType::Float32 => {
                let number = array.as_primitive::<Float32Type>().value(row);
                if number.is_nan() { ParquetCell::Missing } else { ParquetCell::Number(number) }
            }
            _ => ParquetCell::Text(array.as_string::<i32>().value(row)),
        }
    }

    /// The number of the row, from 1.
    pub(crate) fn row(&self) -> u64 {
        self.row
    }
}
