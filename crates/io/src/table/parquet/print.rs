//! The cells of a Parquet batch as text.
//!
//! Floating-point numbers print as the shortest text of the same double, so that whoever reads the
//! text as doubles finds the same side of every threshold; nulls print as nothing, all else
//! as `printer` has it.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, Float32Array, Float64Array};
use arrow_schema::DataType;

use super::batch::ParquetBatch;
use super::printer::{NoText, Push, printer};
use crate::table::error::Cause;
use crate::table::number::push_f64;

/// A column of a batch, with its way to print.
pub struct PrintedColumn<'a>(CellPrinter<'a>);

enum CellPrinter<'a> {
    F32(&'a Float32Array),
    F64(&'a Float64Array),
    Other(Push<'a>),
}

impl ParquetBatch {
    /// How many columns there are.
    pub(crate) fn columns(&self) -> usize {
        self.0.num_columns()
    }

    /// A column, made ready to be printed.
    pub(crate) fn printed(&self, column: usize) -> Result<PrintedColumn<'_>, Cause> {
        Ok(PrintedColumn::new(self.0.column(column))?)
    }

    /// The text of one cell; `None` if it cannot be printed.
    pub(crate) fn text(&self, row: usize, column: usize) -> Option<String> {
        let cell = self.0.column(column).slice(row, 1);
        let mut text = String::new();
        PrintedColumn::new(&cell).ok()?.push(0, &mut text).ok()?;
        Some(text)
    }
}

impl<'a> PrintedColumn<'a> {
    fn new(array: &'a dyn Array) -> Result<Self, NoText> {
        Ok(Self(match array.data_type() {
            DataType::Float32 => CellPrinter::F32(array.as_primitive::<Float32Type>()),
            DataType::Float64 => CellPrinter::F64(array.as_primitive::<Float64Type>()),
            _ => CellPrinter::Other(printer(array)?),
        }))
    }

    /// Appends the text of the cell in `row`.
    pub(crate) fn push(&self, row: usize, text: &mut String) -> Result<(), Cause> {
        match &self.0 {
            CellPrinter::F32(array) if array.is_valid(row) => {
                push_f64(array.value(row).into(), text)
            }
            CellPrinter::F64(array) if array.is_valid(row) => push_f64(array.value(row), text),
            CellPrinter::F32(_) | CellPrinter::F64(_) => {}
            CellPrinter::Other(push) => _ = push(row, text)?,
        }
        Ok(())
    }
}
