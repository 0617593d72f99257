//! The cells of a Parquet batch as text.
//!
//! Floating-point numbers print as the shortest text of the same double, so that whoever reads the
//! text as doubles finds the same side of every threshold; nulls print as nothing, all else
//! as `arrow-cast` shows it. Times with a named zone print in UTC: their offset is not known here.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};

use super::number::push_f64;

/// The columns of a batch, made ready to be printed.
pub(super) struct PrintableRows {
    columns: Vec<ArrayRef>,
}

/// A column that was made ready, with its way to print.
pub(super) enum PrintedColumn<'a> {
    F32(&'a arrow_array::Float32Array),
    F64(&'a arrow_array::Float64Array),
    Other(ArrayFormatter<'a>),
}

impl PrintableRows {
    pub(super) fn new(rows: &RecordBatch) -> Self {
        Self { columns: rows.columns().iter().map(in_utc).collect() }
    }

    pub(super) fn column(&self, column: usize) -> Result<PrintedColumn<'_>, ArrowError> {
        let array = self.columns[column].as_ref();
        Ok(match array.data_type() {
            DataType::Float32 => PrintedColumn::F32(array.as_primitive::<Float32Type>()),
            DataType::Float64 => PrintedColumn::F64(array.as_primitive::<Float64Type>()),
            _ => PrintedColumn::Other(ArrayFormatter::try_new(array, &FormatOptions::new())?),
        })
    }
}

impl PrintedColumn<'_> {
    /// Appends the text of the cell in `row`.
    pub(super) fn push(&self, row: usize, text: &mut String) -> Result<(), ArrowError> {
        match self {
            Self::F32(array) if array.is_valid(row) => push_f64(array.value(row).into(), text),
            Self::F64(array) if array.is_valid(row) => push_f64(array.value(row), text),
            Self::F32(_) | Self::F64(_) => {}
            Self::Other(formatter) => formatter.value(row).write(text as &mut dyn Write)?,
        }
        Ok(())
    }
}

/// The text of one cell; `None` when it has none.
pub(super) fn print(array: &ArrayRef, row: usize) -> Option<String> {
    let one = PrintableRows { columns: vec![in_utc(&array.slice(row, 1))] };
    let mut text = String::new();
    one.column(0).ok()?.push(0, &mut text).ok()?;
    Some(text)
}

fn in_utc(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Timestamp(unit, Some(zone)) if !zone.starts_with(['+', '-']) => {
            let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
            cast(array, &utc).unwrap_or_else(|_| array.clone())
        }
        _ => array.clone(),
    }
}
