//! Batches of rows as they are in the file, with all columns.
//!
//! Numbers of any type are read as 64-bit floating point, exactly: a cell without an exact value
//! becomes NaN, and [`ParquetBatch::missing`] then says why.

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use super::ParquetTable;
use super::guard::guarded;
use crate::table::TableError;

/// The rows of a table, in batches.
pub struct Batches {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
}

/// A batch of rows.
#[derive(Debug)]
pub struct ParquetBatch(pub(super) RecordBatch);

/// Why a number was read as NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The cell is null.
    Null,
    /// It is an integer that 64-bit floating point cannot represent.
    Inexact,
    /// It is NaN.
    NaN,
}

impl Batches {
    pub(super) fn new(table: ParquetTable, rows: usize) -> Result<Self, TableError> {
        let builder = table.builder.with_batch_size(rows.max(1));
        let reader = guarded(&table.path, || builder.build())?;
        Ok(Self { path: table.path, reader })
    }

    /// The next rows, at least one; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<ParquetBatch>, TableError> {
        while let Some(rows) = guarded(&self.path, || self.reader.next().transpose())? {
            if rows.num_rows() > 0 {
                return Ok(Some(ParquetBatch(rows)));
            }
        }
        Ok(None)
    }
}

impl ParquetBatch {
    pub(crate) fn rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Writes the numbers of a column to every `stride`th of `values`; NaN where there is none.
    pub(crate) fn widen(&self, column: usize, values: &mut [f64], stride: usize) {
        let array = self.0.column(column).as_ref();
        match array.data_type() {
            DataType::Float16 => each::<Float16Type>(array, values, stride, |v| v.to_f64()),
            DataType::Float32 => each::<Float32Type>(array, values, stride, f64::from),
            DataType::Float64 => each::<Float64Type>(array, values, stride, |v| v),
            DataType::Int8 => each::<Int8Type>(array, values, stride, f64::from),
            DataType::Int16 => each::<Int16Type>(array, values, stride, f64::from),
            DataType::Int32 => each::<Int32Type>(array, values, stride, f64::from),
            DataType::Int64 => each::<Int64Type>(array, values, stride, |v| exact(v.into())),
            DataType::UInt8 => each::<UInt8Type>(array, values, stride, f64::from),
            DataType::UInt16 => each::<UInt16Type>(array, values, stride, f64::from),
            DataType::UInt32 => each::<UInt32Type>(array, values, stride, f64::from),
            DataType::UInt64 => each::<UInt64Type>(array, values, stride, |v| exact(v.into())),
            // Columns of other types are never requested as plain numbers.
            _ => values.iter_mut().step_by(stride).for_each(|v| *v = f64::NAN),
        }
    }

    /// Why [`widen`](Self::widen) gave NaN for a cell.
    pub(crate) fn missing(&self, column: usize, row: usize) -> Missing {
        let array = self.0.column(column);
        if array.is_null(row) {
            Missing::Null
        } else if array.data_type().is_integer() {
            Missing::Inexact
        } else {
            Missing::NaN
        }
    }
}

fn each<T: ArrowPrimitiveType>(
    array: &dyn Array,
    values: &mut [f64],
    stride: usize,
    widened: impl Fn(T::Native) -> f64,
) {
    let cells = array.as_primitive::<T>().iter();
    for (value, cell) in values.iter_mut().step_by(stride).zip(cells) {
        *value = cell.map_or(f64::NAN, &widened);
    }
}

fn exact(value: i128) -> f64 {
    let widened = value as f64;
    if widened as i128 == value { widened } else { f64::NAN }
}
