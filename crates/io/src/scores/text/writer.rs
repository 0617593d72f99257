//! Writes a CSV or TSV table.
//!
//! A cell that is kept or copied from a text table is written with the same bytes as it was read.

use crate::output::{FinishedFile, OutputFile};
use crate::scores::batch::{Original, ScoreBatch};
use crate::scores::cell::{Cell, ClassCells};
use crate::scores::error::ScoreError;
use crate::scores::header::ColumnRole;
use crate::scores::outline::Outline;
use crate::scores::writer::WriteScores;
#[cfg(feature = "parquet")]
use crate::table::parquet::PrintedColumn;
use crate::table::{Cause, TextFile, TextRows, push_f64};

/// A text table being written.
pub(in crate::scores) struct TextWriter {
    fields: TextFile,
    outline: Outline,
    scratch: String,
}

/// The original cells of a batch as text.
trait CellText {
    /// The text of a cell; `scratch` is an empty buffer for it.
    fn text<'s>(
        &'s self,
        row: usize,
        column: usize,
        scratch: &'s mut String,
    ) -> Result<&'s [u8], Cause>;
}

impl CellText for TextRows {
    fn text<'s>(&'s self, row: usize, column: usize, _: &'s mut String) -> Result<&'s [u8], Cause> {
        Ok(self.cell(row, column))
    }
}

#[cfg(feature = "parquet")]
impl CellText for Vec<Option<PrintedColumn<'_>>> {
    fn text<'s>(
        &'s self,
        row: usize,
        column: usize,
        scratch: &'s mut String,
    ) -> Result<&'s [u8], Cause> {
        if let Some(printed) = &self[column] {
            printed.push(row, scratch)?;
        }
        Ok(scratch.as_bytes())
    }
}

impl TextWriter {
    /// Starts the table with its header.
    pub(in crate::scores) fn create(
        output: OutputFile,
        delimiter: u8,
        outline: Outline,
    ) -> Result<Self, ScoreError> {
        let mut fields = TextFile::new(output, delimiter, false);
        let names = outline.written.iter().map(|&column| &outline.header.columns()[column].name);
        fields.row(names)?;
        Ok(Self { fields, outline, scratch: String::new() })
    }

    fn write_rows(
        &mut self,
        batch: &ScoreBatch,
        original: &impl CellText,
        cells: ClassCells<'_, '_>,
    ) -> Result<(), ScoreError> {
        let mut scratch = std::mem::take(&mut self.scratch);
        for row in 0..batch.rows {
            for &column in &self.outline.written {
                scratch.clear();
                let text = match self.outline.header.columns()[column].role {
                    ColumnRole::Other => original.text(row, column, &mut scratch),
                    ColumnRole::Class(class) => {
                        self.class_text(batch, original, cells, (row, class), &mut scratch)
                    }
                };
                let text = text.map_err(|error| self.no_text(column, error))?;
                self.fields.push(text)?;
            }
            self.fields.end_row()?;
        }
        self.scratch = scratch;
        Ok(())
    }

    fn class_text<'s>(
        &self,
        batch: &ScoreBatch,
        original: &'s impl CellText,
        cells: ClassCells<'_, '_>,
        (row, class): (usize, usize),
        scratch: &'s mut String,
    ) -> Result<&'s [u8], Cause> {
        if batch.is_blank(row) {
            return Ok(b"");
        }
        let scores = &batch.values[row * batch.classes..][..batch.classes];
        let cell = match cells {
            ClassCells::Scores(cells) => cells[row * batch.classes + class],
            ClassCells::Decisions(predicted) => {
                let is_predicted = predicted[row * batch.classes + class];
                return Ok(if is_predicted { b"1" } else { b"0" });
            }
            ClassCells::Names(name) => {
                scratch.push_str(name(row, class));
                return Ok(scratch.as_bytes());
            }
        };
        let source = match cell {
            Cell::Kept => self.outline.header.class_column(class),
            Cell::Copied(other) => self.outline.header.class_column(other),
            Cell::Changed(_) => None,
        };
        if let Some(column) = source {
            return original.text(row, column, scratch);
        }
        let value = cell.value(scores, class);
        push_f64(value, scratch);
        Ok(scratch.as_bytes())
    }

    fn no_text(&self, column: usize, source: Cause) -> ScoreError {
        ScoreError::NoText {
            path: self.fields.path().to_path_buf(),
            column: column + 1,
            name: self.outline.header.columns()[column].name.clone(),
            source,
        }
    }
}

impl WriteScores for TextWriter {
    fn write(&mut self, batch: &ScoreBatch, cells: ClassCells<'_, '_>) -> Result<(), ScoreError> {
        match &batch.original {
            Original::Text(rows) => self.write_rows(batch, rows, cells),
            #[cfg(feature = "parquet")]
            Original::Parquet(rows) => {
                let mut printed: Vec<Option<PrintedColumn<'_>>> = Vec::new();
                printed.resize_with(rows.columns(), || None);
                for &column in &self.outline.written {
                    let made = rows.printed(column);
                    printed[column] = Some(made.map_err(|error| self.no_text(column, error))?);
                }
                self.write_rows(batch, &printed, cells)
            }
        }
    }

    fn finish(self: Box<Self>) -> Result<FinishedFile, ScoreError> {
        Ok(self.fields.finish()?)
    }
}
