//! The cells of a Parquet batch as text.
//!
//! Floating-point numbers print as the shortest text of the same double, so that a reader that
//! parses doubles finds them on the same side of every threshold; nulls print as empty text,
//! everything else as `arrow-cast` formats it. Timestamps with a named time zone print in UTC:
//! their offset is not known here.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, Float32Array, Float64Array};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

use super::batch::ParquetBatch;
use crate::table::error::Cause;
use crate::table::number::push_f64;

/// The columns of a batch, prepared for printing.
pub(crate) struct PrintableBatch {
    columns: Vec<ArrayRef>,
}

/// A prepared column.
pub(crate) struct PrintedColumn<'a>(CellPrinter<'a>);

enum CellPrinter<'a> {
    F32(&'a Float32Array),
    F64(&'a Float64Array),
    Other(ArrayFormatter<'a>),
}

impl ParquetBatch {
    /// The batch, prepared for printing.
    pub(crate) fn printable(&self) -> PrintableBatch {
        PrintableBatch { columns: self.0.columns().iter().map(in_utc).collect() }
    }

    /// The text of one cell; `None` if it cannot be printed.
    pub(crate) fn text(&self, row: usize, column: usize) -> Option<String> {
        let one = PrintableBatch { columns: vec![in_utc(&self.0.column(column).slice(row, 1))] };
        let mut text = String::new();
        one.column(0).ok()?.push(0, &mut text).ok()?;
        Some(text)
    }
}

impl PrintableBatch {
    /// How many columns there are.
    pub(crate) fn columns(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn column(&self, column: usize) -> Result<PrintedColumn<'_>, Cause> {
        let array = self.columns[column].as_ref();
        Ok(PrintedColumn(match array.data_type() {
            DataType::Float32 => CellPrinter::F32(array.as_primitive::<Float32Type>()),
            DataType::Float64 => CellPrinter::F64(array.as_primitive::<Float64Type>()),
            _ => CellPrinter::Other(ArrayFormatter::try_new(array, &FormatOptions::new())?),
        }))
    }
}

impl PrintedColumn<'_> {
    /// Appends the text of the cell in `row`.
    pub(crate) fn push(&self, row: usize, text: &mut String) -> Result<(), Cause> {
        match &self.0 {
            CellPrinter::F32(array) if array.is_valid(row) => {
                push_f64(array.value(row).into(), text)
            }
            CellPrinter::F64(array) if array.is_valid(row) => push_f64(array.value(row), text),
            CellPrinter::F32(_) | CellPrinter::F64(_) => {}
            CellPrinter::Other(formatter) => formatter.value(row).write(text as &mut dyn Write)?,
        }
        Ok(())
    }
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
