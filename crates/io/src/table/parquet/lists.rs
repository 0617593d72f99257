//! Lists of numbers in the cells of a column: one number for each of many columns.
//!
//! Lists of a table must have the same length in every row. Numbers are read as 64-bit floating
//! point; a null among them is NaN.

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::ParquetTable;
use super::batch::{Batches, ParquetBatch};
use super::guard::guarded;
use crate::table::TableError;

/// Rows per batch.
const ROWS: usize = 1024;

/// Whether a type is a list of floating-point numbers, and of which.
pub(super) fn item_type(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _)
            if field.data_type().is_floating() =>
        {
            Some(field.data_type())
        }
        _ => None,
    }
}

/// The list in a row of a column of lists, if there is one.
pub(super) fn list_at(array: &dyn Array, row: usize) -> Option<ArrayRef> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().value(row),
        DataType::LargeList(_) => array.as_list::<i64>().value(row),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().value(row),
        _ => return None,
    })
}

/// The numbers of a list.
pub(super) fn numbers(list: &dyn Array) -> Vec<f64> {
    let or_nan = |number: Option<f64>| number.unwrap_or(f64::NAN);
    match list.data_type() {
        DataType::Float16 => {
            let numbers = list.as_primitive::<Float16Type>().iter();
            numbers.map(|number| or_nan(number.map(|number| number.to_f64()))).collect()
        }
        DataType::Float32 => {
            list.as_primitive::<Float32Type>().iter().map(|n| or_nan(n.map(f64::from))).collect()
        }
        DataType::Float64 => list.as_primitive::<Float64Type>().iter().map(or_nan).collect(),
        _ => Vec::new(),
    }
}

/// The numbers of all lists of a batch, row by row, rounded to 32 bits; `earlier` rows came before.
pub(super) fn flat_lists(
    array: &dyn Array,
    length: usize,
    earlier: u64,
) -> Result<Vec<f32>, UnequalLists> {
    let mut flat = Vec::with_capacity(array.len() * length);
    for row in 0..array.len() {
        let found = list_at(array, row).map_or_else(Vec::new, |list| numbers(&list));
        if found.len() != length {
            let (row, found) = (earlier + row as u64 + 1, found.len());
            return Err(UnequalLists { row, expected: length, found });
        }
        flat.extend(found.iter().map(|&number| number as f32));
    }
    Ok(flat)
}

/// The rows of a table with one column of lists.
pub struct ParquetLists {
    path: PathBuf,
    batches: Batches,
    batch: Option<ParquetBatch>,
    /// The row of the batch after the current one.
    next: usize,
    row: u64,
    column: usize,
    /// The other columns, and their names.
    others: Vec<usize>,
    other_names: Vec<String>,
    length: usize,
    is_f32: bool,
}

impl ParquetLists {
    /// Opens a table; `None` unless it has exactly one column of lists.
    pub(crate) fn open(table: ParquetTable) -> Result<Option<Self>, TableError> {
        let fields = table.schema.0.fields().clone();
        let is_list = |place: &usize| item_type(fields[*place].data_type()).is_some();
        let lists: Vec<usize> = (0..fields.len()).filter(is_list).collect();
        let [column] = lists[..] else { return Ok(None) };
        let is_f32 = matches!(
            item_type(fields[column].data_type()),
            Some(DataType::Float16 | DataType::Float32)
        );
        let others: Vec<usize> = (0..fields.len()).filter(|&place| place != column).collect();
        let other_names = others.iter().map(|&place| fields[place].name().clone()).collect();
        let path = table.path.clone();
        let mut batches = table.batches(ROWS)?;
        let batch = batches.next()?;
        let first = batch.as_ref().and_then(|batch| list_at(batch.0.column(column), 0));
        let length = first.map_or(0, |list| list.len());
        Ok(Some(Self {
            path,
            batches,
            batch,
            next: 0,
            row: 0,
            column,
            others,
            other_names,
            length,
            is_f32,
        }))
    }

    /// How many numbers each list has.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Whether the numbers have at most 32 bits.
    pub(crate) fn is_f32(&self) -> bool {
        self.is_f32
    }

    /// The names of the columns that are not lists.
    pub(crate) fn other_names(&self) -> &[String] {
        &self.other_names
    }

    /// Reads the numbers of the next row; false after the last one.
    pub(crate) fn read(&mut self, numbers_out: &mut [f64]) -> Result<bool, TableError> {
        while self.batch.as_ref().is_some_and(|batch| self.next >= batch.rows()) {
            (self.batch, self.next) = (self.batches.next()?, 0);
        }
        let Some(batch) = &self.batch else { return Ok(false) };
        let list = list_at(batch.0.column(self.column), self.next);
        let found = list.map_or_else(Vec::new, |list| numbers(&list));
        self.next += 1;
        self.row += 1;
        if found.len() != self.length {
            let (row, expected, found) = (self.row, self.length, found.len());
            let source = UnequalLists { row, expected, found };
            return Err(TableError::Parquet { path: self.path.clone(), source: Box::new(source) });
        }
        numbers_out.copy_from_slice(&found);
        Ok(true)
    }

    /// The text of another column in the row that was read last; empty if it is null.
    pub(crate) fn text(&self, other: usize) -> String {
        let batch = self.batch.as_ref();
        let text = batch.and_then(|batch| batch.text(self.next - 1, self.others[other]));
        text.unwrap_or_default()
    }
}

/// Lists of different lengths in one column.
#[derive(Debug, thiserror::Error)]
#[error("the list in row {row} has {found} numbers, but the first one has {expected}")]
pub(super) struct UnequalLists {
    pub row: u64,
    pub expected: usize,
    pub found: usize,
}

/// The length of the list in the first row of a column; 0 without rows.
pub(super) fn first_length(table: &ParquetTable, column: usize) -> Result<usize, TableError> {
    if let DataType::FixedSizeList(_, length) = table.schema.data_type(column) {
        return Ok(usize::try_from(*length).unwrap_or(0));
    }
    let file = crate::input::open_file(&table.path)?;
    let builder = guarded(&table.path, || ParquetRecordBatchReaderBuilder::try_new(file))?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), [column]);
    let builder = builder.with_batch_size(1).with_projection(mask);
    let mut reader = guarded(&table.path, || builder.build())?;
    while let Some(batch) = guarded(&table.path, || reader.next().transpose())? {
        if batch.num_rows() > 0 {
            return Ok(list_at(batch.column(0), 0).map_or(0, |list| list.len()));
        }
    }
    Ok(0)
}
